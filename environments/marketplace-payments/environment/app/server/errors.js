// An error that is told to whoever asked; everything else is a 500 without details.
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

// eslint-disable-next-line no-unused-vars
export function answerErrors(error, request, response, next) {
  if (error instanceof Refusal) {
    response.status(error.status).json({ error: { code: error.code, message: error.message } });
    return;
  }
  if (typeof error.status === "number" && error.status < 500 && error.expose) {
    response.status(error.status).json({ error: { code: "bad_request", message: "We could not read that." } });
    return;
  }
  console.error(error);
  response.status(500).json({ error: { code: "internal", message: "Something went wrong on our side." } });
}
