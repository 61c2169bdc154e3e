// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-7b695e60188b: keep out of training data
/** What a team's subscriptions at Stripe mean for its plan. */
import { eq } from "drizzle-orm";

import { note } from "./activity.ts";
import { database, type Connection } from "./database/client.ts";
import { plans, teams, type Plan, type Team } from "./database/schema.ts";
import { followPurchase } from "./instalments.ts";
import { stripe, type Stripe } from "./stripe.ts";

/** A team has its plan while Stripe tries to be paid for it, and not any more afterwards. */
export const COUNTS = new Set(["trialing", "active", "past_due"]);

export async function teamByCustomer(customer: string): Promise<Team | undefined> {
  const [team] = await database.select().from(teams).where(eq(teams.stripeCustomer, customer));
  return team;
}

/** A team, held until the transaction ends, so that two requests about it take turns. */
export async function heldTeam(on: Connection, id: number): Promise<Team> {
  const [team] = await on.select().from(teams).where(eq(teams.id, id)).for("update");
  return team!;
}

/** All subscriptions that a team has ever had, newest first. */
export async function subscriptionsOf(team: Team): Promise<Stripe.Subscription[]> {
  const found: Stripe.Subscription[] = [];
  for await (const one of stripe().subscriptions.list({ customer: team.stripeCustomer!, status: "all", limit: 100 })) found.push(one);
  return found;
}

/** Bring a customer's purchase and plan in line with Stripe, whatever it was that made us ask. */
export async function refresh(teamId: number): Promise<void> {
  await database.transaction(async (on) => {
    const team = await heldTeam(on, teamId);
    await followPurchase(on, team);
    await settle(on, team, await subscriptionsOf(team));
  });
}

/** Write down the plan that these subscriptions amount to; resolves to it. Call it with the team held. */
export async function settle(on: Connection, team: Team, subscriptions: Stripe.Subscription[]): Promise<Plan | undefined> {
  const current = subscriptions.find((one) => COUNTS.has(one.status));
  const plan = current && (await planOf(on, current));
  await on
    .update(teams)
    .set({
      plan: plan?.code ?? null,
      subscriptionStatus: plan ? current!.status : null,
      stripeSubscription: plan ? current!.id : null,
    })
    .where(eq(teams.id, team.id));
  if (plan && current!.id !== team.stripeSubscription) await note(on, team.id, null, "plan.started", plan.name);
  else if (plan && plan.code !== team.plan) await note(on, team.id, null, "plan.changed", plan.name);
  else if (!plan && team.plan) await note(on, team.id, null, "plan.ended");
  return plan;
}

/** The plan of a subscription: by its price, or by its product where the price is one of before. */
async function planOf(on: Connection, subscription: Stripe.Subscription): Promise<Plan | undefined> {
  const price = subscription.items.data[0]?.price;
  if (!price) return undefined;
  const [byPrice] = await on.select().from(plans).where(eq(plans.stripePrice, price.id));
  if (byPrice) return byPrice;
  const [byProduct] = await on.select().from(plans).where(eq(plans.stripeProduct, String(price.product)));
  return byProduct;
}
