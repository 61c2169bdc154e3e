// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-55c3ab0212aa: keep out of training data
/** Buying a plan: Stripe's Checkout, on Stripe's own page, once or for one instalment after the other. */
import { eq } from "drizzle-orm";

import { config } from "./config.ts";
import type { Visitor } from "./accounts.ts";
import { database, type Connection } from "./database/client.ts";
import { teams, type Plan, type Purchase, type Team } from "./database/schema.ts";
import { Refusal } from "./errors.ts";
import { beginPurchase, dropOthers, due, followPurchase } from "./instalments.ts";
import { stripe, Stripe } from "./stripe.ts";
import { heldTeam, refresh, settle, subscriptionsOf, teamByCustomer } from "./subscriptions.ts";

const subscribed = () => new Refusal(409, "already_subscribed", "Your studio has a plan. You can change it under Manage plan and payments.");
const otherPlan = () => new Refusal(409, "purchase_open", "Your studio has paid the first instalment of another plan. Pay the second one first.");
const tooLate = () => new Refusal(409, "too_late", "The time for the second instalment is over. Your studio gets the first one back.");

/**
 * A Checkout Session for a plan, or for the instalment of it that is due; resolves to the address of Stripe's page. The
 * team is held meanwhile, so that no two sessions of one team are open at a time.
 */
export async function openCheckout({ user, team: { id } }: Visitor, plan: Plan): Promise<string> {
  await database.transaction(async (on) => {
    const team = await heldTeam(on, id);
    if (!team.stripeCustomer) await becomeCustomer(on, team, user.email);
  });
  const address = await database.transaction(async (on) => {
    const team = await heldTeam(on, id);
    const current = await followPurchase(on, team);
    const subscriptions = await subscriptionsOf(team);
    if (await settle(on, team, subscriptions)) return subscribed();
    if (current?.firstPayment && current.plan !== plan.code) return otherPlan();
    const kept = current?.plan === plan.code ? current : undefined;
    await dropOthers(on, team, subscriptions, kept);
    if (plan.instalments === 1) return wholeSession(team, plan);
    return instalmentSession(team, plan, kept ?? (await beginPurchase(on, team, plan)));
  });
  if (address instanceof Refusal) throw address;
  return address;
}

async function becomeCustomer(on: Connection, team: Team, email: string): Promise<void> {
  const customer = await stripe().customers.create({ email, name: team.name, metadata: { kilnbook_team: String(team.id) } });
  await on.update(teams).set({ stripeCustomer: customer.id }).where(eq(teams.id, team.id));
}

async function wholeSession(team: Team, plan: Plan): Promise<string> {
  const session = await stripe().checkout.sessions.create({
    mode: "subscription",
    payment_method_types: ["card"],
    line_items: [{ price: plan.stripePrice!, quantity: 1 }],
    client_reference_id: String(team.id),
    customer: team.stripeCustomer!,
    subscription_data: plan.trialDays > 0 ? { trial_period_days: plan.trialDays } : {},
    success_url: `${config.baseUrl}/api/checkout/return?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${config.baseUrl}/pricing`,
  });
  return session.url!;
}

async function instalmentSession(team: Team, plan: Plan, purchase: Purchase): Promise<string | Refusal> {
  const number = due(purchase) + 1;
  const metadata = { kilnbook_subscription: purchase.subscription, kilnbook_instalment: String(number) };
  try {
    const session = await stripe().checkout.sessions.create({
      mode: "payment",
      payment_method_types: ["card"],
      line_items: [
        {
          price_data: {
            currency: purchase.currency,
            unit_amount: purchase.amounts[number - 1]!,
            product_data: { name: `Kilnbook ${plan.name}, instalment ${number} of 2` },
          },
          quantity: 1,
        },
      ],
      client_reference_id: String(team.id),
      customer: team.stripeCustomer!,
      metadata,
      payment_intent_data: { metadata, ...(number === 1 ? { setup_future_usage: "off_session" as const } : {}) },
      expires_at: purchase.endsAt.getTime() / 1000,
      success_url: `${config.baseUrl}/api/checkout/return?session_id={CHECKOUT_SESSION_ID}`,
      cancel_url: `${config.baseUrl}${number === 1 ? "/pricing" : "/studio"}`,
    });
    return session.url!;
  } catch (error) {
    // Stripe opens no Checkout for less than half an hour.
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.param === "expires_at") return tooLate();
    throw error;
  }
}

/** The buyer is back: what has become of their purchase is asked of Stripe. */
export async function finishCheckout(sessionId: string): Promise<void> {
  let session: Stripe.Checkout.Session;
  try {
    session = await stripe().checkout.sessions.retrieve(sessionId);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return;
    throw error;
  }
  const team = session.customer ? await teamByCustomer(String(session.customer)) : undefined;
  if (team) await refresh(team.id);
}
