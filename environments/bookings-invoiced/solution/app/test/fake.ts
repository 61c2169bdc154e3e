// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-7ab77bac7d18: keep out of training data
// Stands where the program talks to Stripe.

import { Problem } from '../src/errors.ts';
import { Refused, type Billing, type Draft } from '../src/stripe.ts';

interface FakeInvoice {
  id: string;
  customer: string;
  metadata: { booking: string };
  status: string;
  seats: number[];
  lines: { data: unknown[] };
  hosted_invoice_url: string;
}

export function fakeBilling() {
  let left = Infinity;
  const made = new Map<string, unknown>();
  const customers = new Map<string, string | null>();
  const prices: { id: string; product: string; currency: string; unit_amount: number; lookup_key: string | null; active: boolean }[] = [];
  const products = new Map<string, string>();
  const invoices = new Map<string, FakeInvoice>();
  const charged: string[] = [];

  /** One request: does its work, and then perhaps the line breaks. */
  const ask = async <T>(work: () => T): Promise<T> => {
    if (left <= 0) throw new Problem(502, 'stripe_unavailable', 'away');
    const result = work();
    left -= 1;
    if (left === 0) throw new Problem(502, 'stripe_unavailable', 'away');
    return result;
  };
  const once = <T>(key: string, make: () => T): T => {
    if (!made.has(key)) made.set(key, make());
    return made.get(key) as T;
  };
  const become = (id: string, status: string): FakeInvoice => Object.assign(invoices.get(id)!, { status });

  const billing = {
    products: () => ask(() => new Map(products)),
    createProduct: (session: string) => ask(() => once(`product ${session}`, () => {
      products.set(session, `prod_${session}`);
      return `prod_${session}`;
    })),
    prices: (product: string) => ask(() => prices.filter((price) => price.product === product)),
    createPrice: (product: string, currency: string, unit_amount: number) => ask(() => {
      const price = { id: `price_${prices.length}`, product, currency, unit_amount, lookup_key: null, active: true };
      prices.push(price);
      return price;
    }),
    nameLookup: (id: string, key: string) => ask(() => {
      for (const price of prices) {
        if (price.lookup_key === key) price.lookup_key = null;
        if (price.id === id) price.lookup_key = key;
      }
    }),
    customerByEmail: (email: string) => ask(() => [...customers].find(([, known]) => known === email)?.[0] ?? null),
    createCustomer: (key: string, name: string, email: string | null) => ask(() => once(`customer ${key}`, () => {
      customers.set(`cus_${key}`, email);
      return `cus_${key}`;
    })),
    namedCustomers: () => ask(() => new Map([...customers].filter(([, email]) => !email).map(([id]) => [id.slice(4), id]))),
    invoices: () => ask(() => new Map([...invoices.values()].map((invoice) => [invoice.metadata.booking, invoice]))),
    invoice: (id: string) => ask(() => invoices.get(id)),
    draft: ({ key, ref, customer }: Draft) => ask(() => once(`draft ${key}`, () => {
      const id = `in_${invoices.size}`;
      invoices.set(id, {
        id, customer, metadata: { booking: ref }, status: 'draft', seats: [], lines: { data: [] }, hosted_invoice_url: `https://pay/${id}`,
      });
      return invoices.get(id)!;
    })),
    addSeats: (key: string, invoice: { id: string }, price: string, seats: number) => ask(() => {
      const found = invoices.get(invoice.id)!;
      found.seats.push(seats);
      found.lines.data.push(price);
    }),
    finalize: (key: string, id: string) => ask(() => become(id, 'open')),
    payOutOfBand: (id: string) => ask(() => become(id, 'paid')),
    voidInvoice: (id: string) => ask(() => become(id, 'void')),
    keepCard: (key: string, card: string) => ask(() => card),
    forgetCard: () => ask(() => undefined),
    payByCard: (key: string, id: string, card: string) => ask(() => {
      if (card === 'pm_no') throw new Refused(new Problem(402, 'card_declined', 'no'));
      charged.push(id);
      return become(id, 'paid');
    }),
  };
  return {
    billing: billing as unknown as Billing,
    charged,
    customers,
    invoices,
    prices,
    breakAfter: (calls: number) => {
      left = calls;
    },
  };
}
