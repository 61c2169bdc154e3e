'use strict';

/** An answer other than success: `throw new Problem(404, 'not_found', 'There is no such trip.')`. */
class Problem extends Error {
  constructor(status, code, message, more = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

/** Express 4 does not wait for promises; this does. */
function later(handler) {
  return (request, response, next) => Promise.resolve(handler(request, response, next)).catch(next);
}

/** Every error of the API looks like this: {"error": {"code", "message"}}. */
// eslint-disable-next-line no-unused-vars
function answer(error, request, response, next) {
  if (error instanceof Problem) {
    response.status(error.status).json({ error: { code: error.code, message: error.message, ...error.more } });
  } else if (error.status >= 400 && error.status < 500) {
    response.status(error.status).json({ error: { code: 'invalid_request', message: error.message } });
  } else {
    console.error(error);
    response.status(500).json({ error: { code: 'internal', message: 'Something broke. We have been told.' } });
  }
}

module.exports = { Problem, answer, later };
