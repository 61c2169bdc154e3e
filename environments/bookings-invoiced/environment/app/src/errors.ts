import type { NextFunction, Request, Response } from 'express';

/** An answer other than success: `throw new Problem(404, 'not_found', 'There is no such session.')`. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** Every error of the API looks like this: {"error": {"code", "message"}}. */
export function answer(error: unknown, request: Request, response: Response, next: NextFunction): void {
  const status = Number((error as { status?: number }).status);
  if (error instanceof Problem) {
    response.status(error.status).json({ error: { code: error.code, message: error.message, ...error.more } });
  } else if (status >= 400 && status < 500) {
    response.status(status).json({ error: { code: 'invalid_request', message: (error as Error).message } });
  } else {
    console.error(error);
    response.status(500).json({ error: { code: 'internal', message: 'Something broke. We have been told.' } });
  }
}
