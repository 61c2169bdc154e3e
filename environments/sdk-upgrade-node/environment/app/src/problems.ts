// What callers are told when something cannot be done: a status and {"error": …}, never Stripe's own words.
import Stripe from 'stripe'

export class Refused extends Error {
  constructor(
    readonly status: number,
    error: string,
    readonly more: Record<string, unknown> = {},
  ) {
    super(error)
  }

  get body(): Record<string, unknown> {
    return { error: this.message, ...this.more }
  }
}

/** The answer when it was Stripe who would not, or could not. */
export function answerTo(problem: unknown): [number, Record<string, unknown>] {
  if (problem instanceof Refused) return [problem.status, problem.body]
  if (problem instanceof Stripe.errors.StripeCardError) {
    const intent = problem.payment_intent
    return [402, { error: 'declined', reason: problem.decline_code ?? problem.code, payment: intent?.id ?? null }]
  }
  if (problem instanceof Stripe.errors.StripeIdempotencyError) return [409, { error: 'reference used' }]
  if (problem instanceof Stripe.errors.StripeInvalidRequestError) {
    if (problem.statusCode === 404) return [404, { error: 'not found' }]
    if (problem.code === 'resource_missing') return [422, { error: 'unknown' }]
    return [422, { error: 'refused' }]
  }
  if (problem instanceof Stripe.errors.StripeConnectionError) return [503, { error: 'Stripe cannot be reached' }]
  if (problem instanceof Stripe.errors.StripeError) return [502, { error: 'Stripe failed' }]
  throw problem
}
