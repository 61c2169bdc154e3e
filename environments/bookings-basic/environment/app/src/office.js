'use strict';

const { createHash, timingSafeEqual } = require('node:crypto');
const { Problem } = require('./errors');

/** Lets the office in, by `Authorization: Bearer …`, and nobody else. Without a token in the settings, nobody at all. */
function officeOnly(config) {
  const digest = (text) => createHash('sha256').update(text).digest();
  return (request, response, next) => {
    const given = /^Bearer (.+)$/.exec(request.get('authorization') || '');
    if (!config.officeToken || !given || !timingSafeEqual(digest(given[1]), digest(config.officeToken))) {
      next(new Problem(401, 'unauthorized', 'This is for the office.'));
    } else {
      next();
    }
  };
}

module.exports = { officeOnly };
