/** Asking the server. */
import type { Problem } from "../shared/types.ts";

/** What the server refused, in words for the person at the screen. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

async function answer<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T;
  const body: unknown = await response.json().catch(() => ({}));
  if (response.ok) return body as T;
  const { error } = body as Partial<Problem>;
  throw new ApiError(response.status, error?.code ?? "unknown", error?.message ?? "This did not work. Try again in a moment.");
}

export const get = async <T>(path: string) => answer<T>(await fetch(`/api${path}`));

export const post = async <T>(path: string, body: object = {}) =>
  answer<T>(
    await fetch(`/api${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
