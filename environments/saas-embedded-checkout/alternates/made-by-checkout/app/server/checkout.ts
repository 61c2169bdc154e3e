/** Buying a plan: Stripe's Checkout in our page. `purchases` knows which sessions are ours, and whose. */
import { eq } from "drizzle-orm";

import type { Visitor } from "./accounts.ts";
import { config } from "./config.ts";
import { database, type Connection } from "./database/client.ts";
import { purchases, teams, type Plan, type Team } from "./database/schema.ts";
import { Refusal, stripeUnavailable } from "./errors.ts";
import { stripe, type Stripe } from "./stripe.ts";
import { heldTeam, settle, subscriptionsOf } from "./subscriptions.ts";

/** A Checkout Session for a plan; resolves to its client secret. */
export async function openCheckout({ user, team: { id } }: Visitor, plan: Plan): Promise<string> {
  const secret = await database.transaction(async (on) => {
    const team = await adopted(on, await heldTeam(on, id), await closedSessions(on, id));
    const subscriptions = await subscriptionsOf(team);
    if (await settle(on, team, subscriptions)) return undefined;
    const session = await stripe().checkout.sessions.create(paramsOf(team, user.email, plan, subscriptions.length > 0));
    await on.insert(purchases).values({ session: session.id, teamId: id });
    if (!session.client_secret) throw stripeUnavailable();
    return session.client_secret;
  });
  if (!secret) throw new Refusal(409, "already_subscribed", "Your studio has a plan already.");
  return secret;
}

function paramsOf(team: Team, email: string, plan: Plan, before: boolean): Stripe.Checkout.SessionCreateParams {
  return {
    ui_mode: "embedded",
    mode: "subscription",
    payment_method_types: ["card"],
    line_items: [{ price: plan.stripePrice!, quantity: 1 }],
    ...(team.stripeCustomer ? { customer: team.stripeCustomer } : { customer_email: email }),
    allow_promotion_codes: true,
    ...(plan.trialDays > 0 && !before ? { subscription_data: { trial_period_days: plan.trialDays } } : {}),
    return_url: `${config.baseUrl}/checkout/return?session_id={CHECKOUT_SESSION_ID}`,
  };
}

/** Nobody can pay a session of before any more; resolves to those that were paid. */
async function closedSessions(on: Connection, teamId: number): Promise<Stripe.Checkout.Session[]> {
  const paid: Stripe.Checkout.Session[] = [];
  for (const { session } of await on.select().from(purchases).where(eq(purchases.teamId, teamId))) {
    const found = await stripe().checkout.sessions.retrieve(session);
    if (found.status === "complete") paid.push(found);
    if (found.status === "open") await stripe().checkout.sessions.expire(session);
  }
  return paid;
}

/** The team, as the customer that Checkout has made for it. */
async function adopted(on: Connection, team: Team, paid: Stripe.Checkout.Session[]): Promise<Team> {
  const customer = paid.find((session) => session.customer)?.customer;
  if (team.stripeCustomer || !customer) return team;
  await on.update(teams).set({ stripeCustomer: String(customer) }).where(eq(teams.id, team.id));
  return { ...team, stripeCustomer: String(customer) };
}

/** Somebody says that a session is paid: see for yourself. With `teamId`, only that team's session counts. */
export async function finishCheckout(sessionId: string, teamId?: number): Promise<void> {
  const [ours] = await database.select().from(purchases).where(eq(purchases.session, sessionId));
  if (!ours || (teamId !== undefined && ours.teamId !== teamId)) return;
  const session = await stripe().checkout.sessions.retrieve(sessionId);
  if (session.status !== "complete") return;
  await database.transaction(async (on) => {
    const team = await adopted(on, await heldTeam(on, ours.teamId), [session]);
    await settle(on, team, await subscriptionsOf(team));
  });
}
