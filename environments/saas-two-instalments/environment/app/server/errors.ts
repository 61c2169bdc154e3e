/** Answers that are no success: `{"error": {"code", "message"}}` with a status. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const signInFirst = () => new Refusal(401, "signed_out", "Sign in first.");
export const ownersOnly = () => new Refusal(403, "owners_only", "Only an owner of the studio can do this.");
export const wrong = (message: string) => new Refusal(400, "invalid_request", message);
export const stripeUnavailable = () =>
  new Refusal(502, "stripe_unavailable", "Our payment provider did not answer. Nothing was changed; try again in a moment.");
