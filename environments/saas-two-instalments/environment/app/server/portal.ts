/** Stripe's customer portal, where a studio changes or ends its plan, its card and its details. */
import { config } from "./config.ts";
import type { Plan, Team } from "./database/schema.ts";
import { Refusal } from "./errors.ts";
import { stripe, type Stripe } from "./stripe.ts";

const OURS = { app: "kilnbook" };

async function configuration(): Promise<Stripe.BillingPortal.Configuration | undefined> {
  for await (const found of stripe().billingPortal.configurations.list({ active: true, limit: 100 })) {
    if (found.metadata?.app === OURS.app) return found;
  }
  return undefined;
}

/** Tell the portal which plans can be switched to. */
export async function syncPortal(plans: Plan[]): Promise<void> {
  const settings: Stripe.BillingPortal.ConfigurationUpdateParams = {
    default_return_url: `${config.baseUrl}/studio`,
    business_profile: { headline: "Kilnbook: your studio's plan" },
    features: {
      customer_update: { enabled: true, allowed_updates: ["email", "name", "address"] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: "immediately" },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ["price"],
        proration_behavior: "create_prorations",
        products: plans.map((plan) => ({ product: plan.stripeProduct!, prices: [plan.stripePrice!] })),
      },
    },
    metadata: OURS,
  };
  const present = await configuration();
  if (present) await stripe().billingPortal.configurations.update(present.id, settings);
  else await stripe().billingPortal.configurations.create(settings as Stripe.BillingPortal.ConfigurationCreateParams);
}

/** The address of the portal for a team. */
export async function openPortal(team: Team): Promise<string> {
  if (!team.stripeCustomer) throw new Refusal(409, "no_subscription", "The studio has not bought anything yet.");
  const ours = await configuration();
  const session = await stripe().billingPortal.sessions.create({
    customer: team.stripeCustomer,
    return_url: `${config.baseUrl}/studio`,
    ...(ours ? { configuration: ours.id } : {}),
  });
  return session.url;
}
