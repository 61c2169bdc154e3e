/** Buying a plan: Stripe's Checkout, on Stripe's own page. */
import { config } from "./config.ts";
import type { Visitor } from "./accounts.ts";
import type { Plan } from "./database/schema.ts";
import { stripe } from "./stripe.ts";
import { apply, teamById } from "./subscriptions.ts";

/** A Checkout Session for a plan; resolves to the address of Stripe's page. */
export async function openCheckout({ user, team }: Visitor, plan: Plan): Promise<string> {
  const session = await stripe().checkout.sessions.create({
    mode: "subscription",
    payment_method_types: ["card"],
    line_items: [{ price: plan.stripePrice!, quantity: 1 }],
    client_reference_id: String(team.id),
    ...(team.stripeCustomer ? { customer: team.stripeCustomer } : { customer_email: user.email }),
    subscription_data: plan.trialDays > 0 ? { trial_period_days: plan.trialDays } : {},
    success_url: `${config.baseUrl}/api/checkout/return?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${config.baseUrl}/pricing`,
  });
  return session.url!;
}

/** The buyer is back, or Stripe says that they have bought. */
export async function finishCheckout(sessionId: string): Promise<void> {
  const session = await stripe().checkout.sessions.retrieve(sessionId, { expand: ["subscription"] });
  const team = await teamById(Number(session.client_reference_id));
  if (!team || !session.subscription || typeof session.subscription === "string") return;
  await apply(team, session.subscription);
}
