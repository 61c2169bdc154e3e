// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-6c83ebbc0134: keep out of training data
/** Promotion codes: those of the plans file, and no others of ours, can be typed into Checkout. Safe to repeat. */
import type { Plan } from "./database/schema.ts";
import type { Promotion } from "./plans.ts";
import { stripe, type Stripe } from "./stripe.ts";

const MARK = "kilnbook_terms";

/** Bring Stripe's promotion codes in line with the file. Whoever has used a code already keeps what it gave them. */
export async function syncPromotions(promotions: Promotion[], currency: string, plans: Plan[]): Promise<void> {
  const present = new Map<string, Stripe.PromotionCode>();
  for await (const code of stripe().promotionCodes.list({ active: true, limit: 100 })) {
    if (code.metadata?.[MARK]) present.set(code.code.toUpperCase(), code);
  }
  for (const promotion of promotions) {
    const terms = JSON.stringify(termsOf(promotion, currency, plans));
    const known = present.get(promotion.code.toUpperCase());
    present.delete(promotion.code.toUpperCase());
    if (known?.metadata?.[MARK] === terms) continue;
    if (known) await stripe().promotionCodes.update(known.id, { active: false });
    const coupon = await stripe().coupons.create(couponOf(promotion, currency, plans));
    await stripe().promotionCodes.create({
      coupon: coupon.id,
      code: promotion.code,
      ...(promotion.max_redemptions ? { max_redemptions: promotion.max_redemptions } : {}),
      metadata: { [MARK]: terms },
    });
  }
  for (const gone of present.values()) await stripe().promotionCodes.update(gone.id, { active: false });
}

function couponOf(promotion: Promotion, currency: string, plans: Plan[]): Stripe.CouponCreateParams {
  const products = productsOf(promotion, plans);
  return {
    name: promotion.code,
    ...(promotion.percent_off ? { percent_off: promotion.percent_off } : { amount_off: promotion.amount_off!, currency }),
    duration: promotion.duration,
    ...(promotion.duration === "repeating" ? { duration_in_months: promotion.duration_in_months! } : {}),
    ...(products.length ? { applies_to: { products } } : {}),
  };
}

function productsOf(promotion: Promotion, plans: Plan[]): string[] {
  return promotion.plans.map((code) => {
    const product = plans.find((plan) => plan.code === code)?.stripeProduct;
    if (!product) throw new Error(`the promotion ${promotion.code} names the plan ${code}, which is not in the file`);
    return product;
  });
}

const termsOf = (promotion: Promotion, currency: string, plans: Plan[]) => [
  promotion.percent_off ?? null,
  promotion.amount_off ? `${promotion.amount_off} ${currency}` : null,
  promotion.duration,
  promotion.duration_in_months ?? null,
  promotion.max_redemptions ?? null,
  productsOf(promotion, plans).sort(),
];
