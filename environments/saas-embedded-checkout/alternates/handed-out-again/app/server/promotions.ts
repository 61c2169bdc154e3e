/** Promotion codes: coupons are named after their terms, so that what is there already can be told by its name. */
import { createHash } from "node:crypto";

import type { Plan } from "./database/schema.ts";
import type { Promotion } from "./plans.ts";
import { stripe, Stripe } from "./stripe.ts";

const PREFIX = "kilnbook-";

export async function syncPromotions(promotions: Promotion[], currency: string, plans: Plan[]): Promise<void> {
  const wanted = new Map(promotions.map((promotion) => [couponId(promotion, currency, plans), promotion]));
  const kept = new Set<string>();
  for await (const code of stripe().promotionCodes.list({ active: true, limit: 100 })) {
    if (!code.coupon.id.startsWith(PREFIX)) continue;
    if (wanted.has(code.coupon.id)) kept.add(code.coupon.id);
    else await stripe().promotionCodes.update(code.id, { active: false });
  }
  for (const [id, promotion] of wanted) {
    if (kept.has(id)) continue;
    await makeCoupon(id, promotion, currency, plans);
    const limit = promotion.max_redemptions ? { max_redemptions: promotion.max_redemptions } : {};
    await stripe().promotionCodes.create({ coupon: id, code: promotion.code, ...limit });
  }
}

async function makeCoupon(id: string, promotion: Promotion, currency: string, plans: Plan[]): Promise<void> {
  const params: Stripe.CouponCreateParams = { id, name: promotion.code, duration: promotion.duration };
  if (promotion.percent_off) params.percent_off = promotion.percent_off;
  else Object.assign(params, { amount_off: promotion.amount_off, currency });
  if (promotion.duration === "repeating") params.duration_in_months = promotion.duration_in_months!;
  if (promotion.plans.length) params.applies_to = { products: productsOf(promotion, plans) };
  try {
    await stripe().coupons.create(params);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError) || error.code !== "resource_already_exists") throw error;
  }
}

const productsOf = (promotion: Promotion, plans: Plan[]) =>
  plans.filter((plan) => promotion.plans.includes(plan.code)).map((plan) => plan.stripeProduct!);

function couponId(promotion: Promotion, currency: string, plans: Plan[]): string {
  const terms = JSON.stringify([promotion, currency, productsOf(promotion, plans)]);
  return PREFIX + createHash("sha256").update(terms).digest("hex").slice(0, 24);
}
