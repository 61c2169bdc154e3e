import Stripe from 'stripe';
import type { Config } from './config.ts';
import { Problem } from './errors.ts';

export type Billing = Stripe;

export function createBilling(config: Config): Stripe {
  return new Stripe(config.stripeSecretKey, { maxNetworkRetries: 1, timeout: 20_000 });
}

/** What Stripe's errors mean to the page; errors of ours stay what they are. */
export function problemOf(error: unknown): unknown {
  if (error instanceof Stripe.errors.StripeCardError) {
    const asked = error.code === 'invoice_payment_intent_requires_action' || error.code === 'authentication_required';
    return new Problem(402, asked ? 'authentication_required' : 'card_declined', error.message, { decline_code: error.decline_code });
  }
  if (error instanceof Stripe.errors.StripeInvalidRequestError) return new Problem(400, 'invalid_request', error.message);
  if (error instanceof Stripe.errors.StripeError) return new Problem(502, 'stripe_unavailable', 'Stripe does not answer. Try again.');
  return error;
}
