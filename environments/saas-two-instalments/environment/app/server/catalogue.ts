/** Telling Stripe what we sell: a product and a price for each plan. Safe to repeat. */
import { eq } from "drizzle-orm";

import { database } from "./database/client.ts";
import { plans, type Plan } from "./database/schema.ts";
import { stripe, type Stripe } from "./stripe.ts";

/** Bring Stripe's product and price of each plan up to date, and write down their ids. */
export async function syncPlans(onSale: Plan[]): Promise<void> {
  const products = new Map<string, Stripe.Product>();
  for await (const product of stripe().products.list({ active: true, limit: 100 })) {
    if (product.metadata.kilnbook_plan) products.set(product.metadata.kilnbook_plan, product);
  }
  for (const plan of onSale) {
    const product = await productOf(plan, products.get(plan.code));
    const price = await priceOf(plan, product);
    await database.update(plans).set({ stripeProduct: product.id, stripePrice: price.id }).where(eq(plans.code, plan.code));
  }
}

async function productOf(plan: Plan, present: Stripe.Product | undefined): Promise<Stripe.Product> {
  const name = `Kilnbook ${plan.name}`;
  if (!present) return stripe().products.create({ name, description: plan.blurb, metadata: { kilnbook_plan: plan.code } });
  if (present.name === name && present.description === plan.blurb) return present;
  return stripe().products.update(present.id, { name, description: plan.blurb });
}

async function priceOf(plan: Plan, product: Stripe.Product): Promise<Stripe.Price> {
  const key = `kilnbook_${plan.code}`;
  const { data } = await stripe().prices.list({ lookup_keys: [key], active: true, limit: 1 });
  const present = data[0];
  const same =
    present?.unit_amount === plan.unitAmount &&
    present.currency === plan.currency &&
    present.recurring?.interval === plan.interval &&
    present.product === product.id;
  if (present && same) return present;
  return stripe().prices.create({
    product: product.id,
    unit_amount: plan.unitAmount,
    currency: plan.currency,
    recurring: { interval: plan.interval },
    lookup_key: key,
    transfer_lookup_key: true,
  });
}
