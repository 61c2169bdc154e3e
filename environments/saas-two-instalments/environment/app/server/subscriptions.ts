/** What a team's subscription at Stripe means for its plan. */
import { eq } from "drizzle-orm";

import { note } from "./activity.ts";
import { database } from "./database/client.ts";
import { teams, type Team } from "./database/schema.ts";
import { planByPrice } from "./plans.ts";
import type { Stripe } from "./stripe.ts";

/** A team has its plan while Stripe tries to be paid for it, and not any more afterwards. */
export const COUNTS = new Set(["trialing", "active", "past_due"]);

export async function teamByCustomer(customer: string): Promise<Team | undefined> {
  const [team] = await database.select().from(teams).where(eq(teams.stripeCustomer, customer));
  return team;
}

export async function teamById(id: number): Promise<Team | undefined> {
  const [team] = await database.select().from(teams).where(eq(teams.id, id));
  return team;
}

/** Write down what a subscription says about a team's plan. */
export async function apply(team: Team, subscription: Stripe.Subscription): Promise<void> {
  const price = subscription.items.data[0]?.price.id ?? "";
  const plan = COUNTS.has(subscription.status) ? await planByPrice(price) : undefined;
  const customer = typeof subscription.customer === "string" ? subscription.customer : subscription.customer.id;
  await database.transaction(async (on) => {
    await on
      .update(teams)
      .set({
        plan: plan?.code ?? null,
        subscriptionStatus: plan ? subscription.status : null,
        stripeCustomer: customer,
        stripeSubscription: plan ? subscription.id : null,
      })
      .where(eq(teams.id, team.id));
    if (plan && !team.plan) await note(on, team.id, null, "plan.started", plan.name);
    else if (plan && plan.code !== team.plan) await note(on, team.id, null, "plan.changed", plan.name);
    else if (!plan && team.plan) await note(on, team.id, null, "plan.ended");
  });
}
