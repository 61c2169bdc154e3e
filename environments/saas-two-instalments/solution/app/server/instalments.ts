// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-132702b92c52: keep out of training data
/** A plan in two instalments: one purchase with two Checkouts, whose payments become those of the first invoice. */
import { and, eq, isNull } from "drizzle-orm";

import { note } from "./activity.ts";
import { database, type Connection } from "./database/client.ts";
import { purchases, type Plan, type Purchase, type Team } from "./database/schema.ts";
import { planByCode } from "./plans.ts";
import { stripe, type Stripe } from "./stripe.ts";

/** How long Stripe keeps a subscription whose first invoice is not paid. */
const HOURS = 23;

/** Two halves in whole cents; the first has the odd one. */
export function halves(amount: number): [number, number] {
  const first = Math.ceil(amount / 2);
  return [first, amount - first];
}

export async function openPurchase(teamId: number, on: Connection = database): Promise<Purchase | undefined> {
  const [found] = await on.select().from(purchases).where(and(eq(purchases.teamId, teamId), isNull(purchases.outcome)));
  return found;
}

/** Begin a purchase: a subscription that is incomplete until its first invoice is paid. */
export async function beginPurchase(on: Connection, team: Team, plan: Plan): Promise<Purchase> {
  const subscription = await stripe().subscriptions.create({
    customer: team.stripeCustomer!,
    items: [{ price: plan.stripePrice!, quantity: 1 }],
    payment_behavior: "default_incomplete",
    payment_settings: { payment_method_types: ["card"] },
    metadata: { kilnbook_team: String(team.id) },
    expand: ["latest_invoice"],
  });
  const invoice = subscription.latest_invoice as Stripe.Invoice;
  const [purchase] = await on
    .insert(purchases)
    .values({
      teamId: team.id,
      plan: plan.code,
      currency: invoice.currency,
      amounts: halves(invoice.total),
      subscription: subscription.id,
      invoice: invoice.id!,
      endsAt: new Date((subscription.created + HOURS * 3600) * 1000),
    })
    .returning();
  return purchase!;
}

/** The instalment that is due: 0 or 1. */
export const due = (purchase: Purchase) => (purchase.firstPayment ? 1 : 0);

/**
 * Bring a team's purchase in line with Stripe, with the team held; resolves to it if it is still under way. Payments are
 * attached when there are both, so that Stripe can void the invoice by itself when the second one never comes.
 */
export async function followPurchase(on: Connection, team: Team): Promise<Purchase | undefined> {
  const known = await openPurchase(team.id, on);
  if (!known) return undefined;
  const subscription = await stripe().subscriptions.retrieve(known.subscription);
  const [firstPayment, secondPayment] = await paymentsOf(team, known);
  const [purchase] = await on.update(purchases).set({ firstPayment, secondPayment }).where(eq(purchases.id, known.id)).returning();
  if (subscription.status === "incomplete_expired" || subscription.status === "canceled") {
    await abandon(on, team, purchase!);
    return undefined;
  }
  if (!firstPayment || !secondPayment) return purchase;
  await completePurchase(purchase!, firstPayment, secondPayment);
  await on.update(purchases).set({ outcome: "bought" }).where(eq(purchases.id, known.id));
  return undefined;
}

/** What the purchase's Checkouts have brought in, by the number of the instalment. */
async function paymentsOf(team: Team, purchase: Purchase): Promise<[string | null, string | null]> {
  const found: [string | null, string | null] = [null, null];
  for await (const session of stripe().checkout.sessions.list({ customer: team.stripeCustomer!, status: "complete", limit: 100 })) {
    if (session.metadata?.kilnbook_subscription !== purchase.subscription || session.payment_status !== "paid") continue;
    found[session.metadata.kilnbook_instalment === "1" ? 0 : 1] = String(session.payment_intent);
  }
  return found;
}

/** Both are paid: they pay the invoice, and the first one's card pays from now on. Safe to repeat. */
async function completePurchase(purchase: Purchase, first: string, second: string): Promise<void> {
  const { payment_method } = await stripe().paymentIntents.retrieve(first);
  await stripe().subscriptions.update(purchase.subscription, { default_payment_method: String(payment_method) });
  const attached = new Set<string>();
  for await (const { payment } of stripe().invoicePayments.list({ invoice: purchase.invoice, limit: 100 })) {
    if (payment.payment_intent) attached.add(String(payment.payment_intent));
  }
  for (const intent of [first, second]) {
    if (!attached.has(intent)) await stripe().invoices.attachPayment(purchase.invoice, { payment_intent: intent });
  }
}

/** The time is over: what was paid goes back. */
async function abandon(on: Connection, team: Team, purchase: Purchase): Promise<void> {
  await closeSessions(team);
  const paid = [purchase.firstPayment, purchase.secondPayment].filter((one) => one !== null);
  for (const intent of paid) {
    await stripe().refunds.create({ payment_intent: intent }, { idempotencyKey: `kilnbook-abandoned-${intent}` });
  }
  await on.update(purchases).set({ outcome: paid.length ? "abandoned" : "dropped" }).where(eq(purchases.id, purchase.id));
  if (paid.length) await note(on, team.id, null, "plan.abandoned", (await planByCode(purchase.plan))?.name ?? purchase.plan);
}

/** Leave nothing that could still be paid, except for the purchase that goes on. */
export async function dropOthers(on: Connection, team: Team, subscriptions: Stripe.Subscription[], purchase?: Purchase): Promise<void> {
  await closeSessions(team);
  for (const one of subscriptions) {
    if (one.status !== "incomplete" || one.id === purchase?.subscription) continue;
    await stripe().invoices.voidInvoice(String(one.latest_invoice));
    await on.update(purchases).set({ outcome: "dropped" }).where(eq(purchases.subscription, one.id));
  }
}

async function closeSessions(team: Team): Promise<void> {
  for await (const open of stripe().checkout.sessions.list({ customer: team.stripeCustomer!, status: "open", limit: 100 })) {
    await stripe().checkout.sessions.expire(open.id);
  }
}
