// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-0891bb9b2841: keep out of training data
// Everything this program says to Stripe. What was made can be found again by its metadata, and everything that makes
// something has an idempotency key that says what it is for, so that asking again makes nothing twice.

import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import type { Config } from './config.ts';
import { Problem } from './errors.ts';

const API_VERSION = '2025-08-27.basil';

/** The bank said no. */
export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

export interface Draft {
  key: string;
  ref: string;
  customer: string;
  currency: string;
  description: string;
  /** Days in which the guest has to pay; none: a card pays at once. */
  days?: number;
  /** The second from which the invoice counts; none: now. */
  from?: number;
}

export type Billing = ReturnType<typeof createBilling>;

export function createBilling(config: Config, options: Stripe.StripeConfig = {}) {
  const stripe = new Stripe(config.stripeSecretKey, {
    apiVersion: API_VERSION, maxNetworkRetries: 2, timeout: 20_000, ...options,
  });

  return {
    /** Our products by the code of their session. */
    async products(): Promise<Map<string, string>> {
      const found = new Map<string, string>();
      for await (const product of stripe.products.list({ limit: 100 })) {
        if (product.metadata.session) found.set(product.metadata.session, product.id);
      }
      return found;
    },

    async createProduct(session: string, name: string): Promise<string> {
      const made = await attempt(() => stripe.products.create(
        { name, metadata: { session } }, { idempotencyKey: `product-${session}` },
      ));
      return made.id;
    },

    /** The prices of a product. */
    prices(product: string): Promise<Stripe.Price[]> {
      return attempt(() => stripe.prices.list({ product, limit: 100 }).autoPagingToArray({ limit: 10_000 }));
    },

    async createPrice(product: string, currency: string, amount: number): Promise<Stripe.Price> {
      return attempt(() => stripe.prices.create(
        { product, currency, unit_amount: amount }, { idempotencyKey: `price-${product}-${currency}-${amount}` },
      ));
    },

    /** Give a price its lookup key, whichever price had it before. */
    async nameLookup(price: string, key: string): Promise<void> {
      await attempt(() => stripe.prices.update(price, { lookup_key: key, transfer_lookup_key: true }));
    },

    /** The customer with an e-mail address that Stripe has had longest, or null. */
    async customerByEmail(email: string): Promise<string | null> {
      const found = await attempt(() => stripe.customers.list({ email, limit: 100 }).autoPagingToArray({ limit: 10_000 }));
      return found.at(-1)?.id ?? null;
    },

    async createCustomer(key: string, name: string, email: string | null): Promise<string> {
      const made = await attempt(() => stripe.customers.create(
        { name, ...(email && { email }), metadata: { guest: key } }, { idempotencyKey: `customer-${digest(key)}` },
      ));
      return made.id;
    },

    /** Customers without an e-mail address that an earlier run made, by their key. */
    async namedCustomers(): Promise<Map<string, string>> {
      const found = new Map<string, string>();
      for await (const customer of stripe.customers.list({ limit: 100 })) {
        if (customer.metadata.guest && !customer.email) found.set(customer.metadata.guest, customer.id);
      }
      return found;
    },

    /** Our invoices by the booking they are for, voided ones left out unless there is no other. */
    async invoices(): Promise<Map<string, Stripe.Invoice>> {
      const found = new Map<string, Stripe.Invoice>();
      for await (const invoice of stripe.invoices.list({ limit: 100 })) {
        const ref = invoice.metadata?.booking;
        if (ref && (!found.has(ref) || invoice.status !== 'void')) found.set(ref, invoice);
      }
      return found;
    },

    invoice(id: string): Promise<Stripe.Invoice> {
      return attempt(() => stripe.invoices.retrieve(id));
    },

    draft({ key, ref, customer, currency, description, days, from }: Draft): Promise<Stripe.Invoice> {
      return attempt(() => stripe.invoices.create({
        customer,
        currency,
        description,
        auto_advance: false,
        pending_invoice_items_behavior: 'exclude',
        collection_method: days ? 'send_invoice' : 'charge_automatically',
        ...(days && { days_until_due: days }),
        ...(from !== undefined && { effective_at: from }),
        metadata: { booking: ref },
      }, { idempotencyKey: `invoice-${key}` }));
    },

    async addSeats(key: string, invoice: Stripe.Invoice, price: string, seats: number): Promise<void> {
      await attempt(() => stripe.invoiceItems.create({
        customer: String(invoice.customer), invoice: invoice.id, pricing: { price }, quantity: seats,
      }, { idempotencyKey: `seats-${key}` }));
    },

    finalize(key: string, id: string): Promise<Stripe.Invoice> {
      return attempt(() => stripe.invoices.finalizeInvoice(id, { auto_advance: false }, { idempotencyKey: `finalize-${key}` }));
    },

    payOutOfBand(id: string): Promise<Stripe.Invoice> {
      return attempt(() => stripe.invoices.pay(id, { paid_out_of_band: true }));
    },

    voidInvoice(id: string): Promise<Stripe.Invoice> {
      return attempt(() => stripe.invoices.voidInvoice(id));
    },

    /** Put a card onto a customer; its id there. Throws Refused when the bank says no. */
    async keepCard(key: string, card: string, customer: string): Promise<string> {
      return (await attempt(() => stripe.paymentMethods.attach(card, { customer }, { idempotencyKey: `card-${key}` }))).id;
    },

    async forgetCard(card: string): Promise<void> {
      await attempt(() => stripe.paymentMethods.detach(card)).catch((error) => {
        console.error(`a card could not be taken off its customer: ${error.message}`);
      });
    },

    /** Charge a card for an invoice. Throws Refused when the bank says no, or wants its customer to confirm. */
    payByCard(key: string, id: string, card: string): Promise<Stripe.Invoice> {
      return attempt(() => stripe.invoices.pay(id, { payment_method: card, off_session: false }, { idempotencyKey: `pay-${key}` }));
    },
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

async function attempt<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw understood(error);
  }
}

function understood(error: unknown): unknown {
  if (error instanceof Stripe.errors.StripeCardError) {
    if (/requires_action|authentication_required/.test(error.code ?? '')) {
      return new Refused(new Problem(402, 'authentication_required', 'Your bank wants you to confirm, which we cannot do yet.'));
    }
    return new Refused(new Problem(402, 'card_declined', error.message, { decline_code: error.decline_code ?? error.code }));
  }
  if (error instanceof Stripe.errors.StripeIdempotencyError) {
    return new Problem(400, 'invalid_request', 'This request_id was used for something else.');
  }
  if (error instanceof Stripe.errors.StripeInvalidRequestError && error.param === 'payment_method') {
    return new Problem(400, 'invalid_request', 'We cannot use this card.');
  }
  if (
    error instanceof Stripe.errors.StripeConnectionError
    || error instanceof Stripe.errors.StripeAPIError
    || error instanceof Stripe.errors.StripeRateLimitError
  ) {
    return new Problem(502, 'stripe_unavailable', 'The payment service does not answer. Please try again in a moment.');
  }
  return error;
}
