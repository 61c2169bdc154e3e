'use strict';

const Stripe = require('stripe');
const { Problem } = require('./errors');

/** What Stripe's errors are to whoever asked. */
function problemOf(error) {
  switch (error.type) {
    case 'StripeCardError':
      return error.code === 'authentication_required'
        ? new Problem(402, 'authentication_required', 'Your bank wants a confirmation.')
        : new Problem(402, 'card_declined', error.message, { decline_code: error.decline_code || error.code });
    case 'StripeInvalidRequestError':
      return error.code === 'resource_missing' && error.param === 'payment_method'
        ? new Problem(400, 'invalid_request', 'There is no such card.')
        : error;
    case 'StripeConnectionError':
    case 'StripeAPIError':
    case 'StripeRateLimitError':
      return new Problem(502, 'stripe_unavailable', 'Stripe does not answer.');
    default:
      return error;
  }
}

class Payments {
  constructor(config) {
    this.stripe = new Stripe(config.stripeSecretKey, { apiVersion: '2025-02-24.acacia', maxNetworkRetries: 1 });
  }

  /**
   * Take `due` from a card, and keep the card when `rest` remains. Returns the ids of what was made. When it does not
   * work nothing is left, and the Problem is thrown.
   */
  async pay({ key, due, rest, currency, card, email, name, metadata }) {
    const made = [];
    const options = (step) => ({ idempotencyKey: `${step}:${key}` });
    const automatic = { automatic_payment_methods: { enabled: true, allow_redirects: 'never' } };
    try {
      let method = card;
      let customer;
      let setup;
      if (rest > 0) {
        customer = await this.customer(email, name, options('customer'), made);
        setup = await this.stripe.setupIntents.create({ customer, metadata, ...automatic }, options('setup'));
        made.push(['setupIntents', setup.id]);
        setup = await this.stripe.setupIntents.confirm(setup.id, { payment_method: card }, options('set-up'));
        this.mustBeDone(setup);
        method = setup.payment_method;
      }
      if (due === 0) return { payment: null, charge: null };
      const payment = await this.stripe.paymentIntents.create({
        amount: due, currency, metadata, payment_method: method, confirm: true, ...automatic,
        ...(customer && { customer, off_session: true }),
      }, options('pay'));
      made.push(['paymentIntents', payment.id]);
      this.mustBeDone(payment);
      return { payment: payment.id, charge: payment.latest_charge };
    } catch (error) {
      const problem = problemOf(error);
      if (problem instanceof Problem && problem.status < 500) {
        if (error.payment_intent) made.push(['paymentIntents', error.payment_intent.id]);
        await this.takeAway(made);
      }
      throw problem;
    }
  }

  mustBeDone({ status }) {
    if (status !== 'succeeded') throw new Problem(402, 'authentication_required', 'Your bank wants a confirmation.');
  }

  async customer(email, name, options, made) {
    const known = await this.stripe.customers.list({ email, limit: 1 });
    if (known.data.length) return known.data[0].id;
    const { id } = await this.stripe.customers.create({ email, name }, options);
    made.push(['customers', id]);
    return id;
  }

  async takeAway(made) {
    for (const [kind, id] of new Map(made.map((item) => [item[1], item])).values()) {
      try {
        if (kind === 'customers') await this.stripe.customers.del(id);
        else await this.stripe[kind].cancel(id);
      } catch (error) {
        if (!/_unexpected_state$/.test(error.code || '') && error.code !== 'resource_missing') throw problemOf(error);
      }
    }
  }

  async charge(id) {
    try {
      return await this.stripe.charges.retrieve(id);
    } catch (error) {
      throw problemOf(error);
    }
  }

  async refund(id, left) {
    try {
      await this.stripe.refunds.create({ charge: id, amount: left });
    } catch (error) {
      if (error.type === 'StripeInvalidRequestError') throw new Problem(409, 'already_refunded', 'That went back already.');
      throw problemOf(error);
    }
  }
}

const createPayments = (config) => new Payments(config);

module.exports = { createPayments };
