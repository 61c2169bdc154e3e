import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Config } from './config.ts';
import { Problem } from './errors.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Lets the office in, by `Authorization: Bearer …`, and nobody else. Without a token in the settings, nobody at all. */
export function officeOnly({ officeToken }: Config): RequestHandler {
  return (request, response, next) => {
    const given = /^Bearer (.+)$/.exec(request.get('authorization') ?? '')?.[1];
    if (!officeToken || !given || !timingSafeEqual(digest(given), digest(officeToken))) {
      throw new Problem(401, 'unauthorized', 'This is for the office.');
    }
    next();
  };
}
