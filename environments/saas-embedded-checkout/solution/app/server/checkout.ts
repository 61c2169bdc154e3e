// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-20e9a4fdb91e: keep out of training data
/** Buying a plan: Stripe's Checkout, embedded in our page. */
import { eq } from "drizzle-orm";

import type { Visitor } from "./accounts.ts";
import { config } from "./config.ts";
import { database, type Connection } from "./database/client.ts";
import { teams, type Plan, type Team } from "./database/schema.ts";
import { Refusal, stripeUnavailable } from "./errors.ts";
import { stripe, Stripe } from "./stripe.ts";
import { heldTeam, refresh, settle, subscriptionsOf, teamByCustomer } from "./subscriptions.ts";

const subscribed = () => new Refusal(409, "already_subscribed", "Your studio has a plan. You can change it under Manage plan and payments.");

/**
 * A Checkout Session for a plan; resolves to its client secret. The team is held meanwhile, so that no two sessions of
 * one team are open at a time.
 */
export async function openCheckout({ user, team: { id } }: Visitor, plan: Plan): Promise<string> {
  await database.transaction(async (on) => {
    const team = await heldTeam(on, id);
    if (!team.stripeCustomer) await becomeCustomer(on, team, user.email);
  });
  const secret = await database.transaction(async (on) => {
    const team = await heldTeam(on, id);
    const subscriptions = await subscriptionsOf(team);
    if (await settle(on, team, subscriptions)) return undefined;
    await closeSessions(team);
    const trial = subscriptions.length === 0 && plan.trialDays > 0 ? { trial_period_days: plan.trialDays } : {};
    const session = await stripe().checkout.sessions.create({
      ui_mode: "embedded",
      mode: "subscription",
      payment_method_types: ["card"],
      payment_method_collection: "always",
      line_items: [{ price: plan.stripePrice!, quantity: 1 }],
      customer: team.stripeCustomer!,
      client_reference_id: String(team.id),
      allow_promotion_codes: true,
      subscription_data: { ...trial, metadata: { kilnbook_team: String(team.id) } },
      return_url: `${config.baseUrl}/checkout/return?session_id={CHECKOUT_SESSION_ID}`,
    });
    if (!session.client_secret) throw stripeUnavailable();
    return session.client_secret;
  });
  if (!secret) throw subscribed();
  return secret;
}

async function becomeCustomer(on: Connection, team: Team, email: string): Promise<void> {
  const customer = await stripe().customers.create({ email, name: team.name, metadata: { kilnbook_team: String(team.id) } });
  await on.update(teams).set({ stripeCustomer: customer.id }).where(eq(teams.id, team.id));
}

async function closeSessions(team: Team): Promise<void> {
  for await (const open of stripe().checkout.sessions.list({ customer: team.stripeCustomer!, status: "open", limit: 100 })) {
    await stripe().checkout.sessions.expire(open.id);
  }
}

/** Stripe says that somebody has bought something. */
export async function checkoutCompleted(session: Stripe.Checkout.Session): Promise<void> {
  const team = session.customer ? await teamByCustomer(String(session.customer)) : undefined;
  if (team) await refresh(team.id);
}

/** A buyer is back. Only what Stripe says of their own team counts. */
export async function checkoutReturned({ team }: Visitor, sessionId: string): Promise<void> {
  let session: Stripe.Checkout.Session;
  try {
    session = await stripe().checkout.sessions.retrieve(sessionId);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return;
    throw error;
  }
  if (team.stripeCustomer && session.customer === team.stripeCustomer) await refresh(team.id);
}
