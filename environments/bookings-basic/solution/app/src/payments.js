// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-71e5cb8ffd3c: keep out of training data
'use strict';

// Everything this program says to Stripe, and what Stripe's errors mean to us.

const Stripe = require('stripe');
const { Problem } = require('./errors');

const API_VERSION = '2025-02-24.acacia';

/** The bank, or Stripe, refused the card; `intent` is what has to be cancelled, if there is something. */
class Refused extends Error {
  constructor(problem, intent = null) {
    super(problem.message);
    this.problem = problem;
    this.intent = intent;
  }
}

function createPayments(config, options = {}) {
  const stripe = new Stripe(config.stripeSecretKey, {
    apiVersion: API_VERSION, maxNetworkRetries: 2, timeout: 20_000, ...options,
  });

  /** Take money now. With a customer, the card is kept on it for what remains. */
  async function take({ key, amount, currency, card, customer, metadata, description }) {
    const intent = await attempt(() => stripe.paymentIntents.create({
      amount,
      currency,
      payment_method: card,
      payment_method_types: ['card'],
      confirm: true,
      error_on_requires_action: true,
      description,
      metadata,
      ...(customer && { customer, setup_future_usage: 'off_session' }),
    }, { idempotencyKey: `take-${key}` }));
    if (intent.status !== 'succeeded') throw new Refused(unconfirmed(), intent);
    return intent;
  }

  /** Take nothing; keep the card on a customer. */
  async function keep({ key, card, customer, metadata, description }) {
    const intent = await attempt(() => stripe.setupIntents.create({
      customer,
      payment_method: card,
      payment_method_types: ['card'],
      confirm: true,
      usage: 'off_session',
      description,
      metadata,
    }, { idempotencyKey: `keep-${key}` }));
    if (intent.status !== 'succeeded') throw new Refused(unconfirmed(), intent);
    return intent;
  }

  async function createCustomer({ key, email, name }) {
    return attempt(() => stripe.customers.create({ email, name }, { idempotencyKey: `customer-${key}` }));
  }

  async function deleteCustomer(id) {
    await unless('resource_missing', () => stripe.customers.del(id));
  }

  /** Make sure that an intent of a refused card can never be completed. */
  async function cancel(intent) {
    const kind = intent.object === 'setup_intent' ? stripe.setupIntents : stripe.paymentIntents;
    await unless(`${intent.object}_unexpected_state`, () => kind.cancel(intent.id));
  }

  /** What has become of a payment: { refunded, disputed }. */
  async function fate(id) {
    const intent = await attempt(() => stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] }));
    return { refunded: intent.latest_charge.amount_refunded, disputed: intent.latest_charge.disputed };
  }

  /** Give back what is left. Stripe itself lets only one of several at the same moment through. */
  async function giveBack(id) {
    try {
      await attempt(() => stripe.refunds.create({ payment_intent: id }));
    } catch (error) {
      if (error.code === 'charge_already_refunded') throw alreadyRefunded();
      if (error.code === 'charge_disputed') throw disputed();
      throw error;
    }
  }

  return { cancel, createCustomer, deleteCustomer, fate, giveBack, keep, take };
}

async function attempt(ask) {
  try {
    return await ask();
  } catch (error) {
    throw understood(error);
  }
}

async function unless(code, ask) {
  try {
    await ask();
  } catch (error) {
    if (error.code !== code) throw understood(error);
  }
}

function understood(error) {
  if (error instanceof Stripe.errors.StripeCardError) {
    const intent = error.payment_intent || error.setup_intent || null;
    if (error.code === 'authentication_required') return new Refused(unconfirmed(), intent);
    const more = { decline_code: error.decline_code || error.code };
    return new Refused(new Problem(402, 'card_declined', error.message, more), intent);
  }
  if (error instanceof Stripe.errors.StripeInvalidRequestError) {
    if (error.param === 'payment_method' || /^payment_method_/.test(error.code || '')) {
      return new Refused(new Problem(400, 'invalid_request', 'We cannot use this card.'), error.payment_intent);
    }
    return error;
  }
  if (error instanceof Stripe.errors.StripeIdempotencyError) {
    return new Problem(400, 'invalid_request', 'This request_id was used for something else.');
  }
  if (
    error instanceof Stripe.errors.StripeConnectionError
    || error instanceof Stripe.errors.StripeAPIError
    || error instanceof Stripe.errors.StripeRateLimitError
  ) {
    return new Problem(502, 'stripe_unavailable', 'The card machine does not answer. Please try again in a moment.');
  }
  return error;
}

const unconfirmed = () => new Problem(
  402, 'authentication_required', 'Your bank wants you to confirm this payment, which we cannot do yet. Try another card.',
);
const alreadyRefunded = () => new Problem(409, 'already_refunded', 'All of it has been given back.');
const disputed = () => new Problem(409, 'disputed', 'The payment is disputed: the bank decides where the money goes.');

module.exports = { Refused, alreadyRefunded, createPayments, disputed };
