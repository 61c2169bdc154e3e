/** Plans, buying one, and the portal. */
import { Router } from "express";

import { forOwners } from "../accounts.ts";
import { finishCheckout, openCheckout } from "../checkout.ts";
import { stripeUnavailable, wrong } from "../errors.ts";
import { offer, planByCode, plansOnSale } from "../plans.ts";
import { openPortal } from "../portal.ts";
import { Stripe } from "../stripe.ts";

export const billing = Router();

/** Whatever Stripe refuses or does not answer is told in one way. */
async function asked<T>(question: Promise<T>): Promise<T> {
  try {
    return await question;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    console.error(`stripe: ${error.type}: ${error.message}`);
    throw stripeUnavailable();
  }
}

billing.get("/plans", async (_request, response) => {
  response.json({ plans: (await plansOnSale()).map(offer) });
});

billing.post("/checkout", forOwners(async (visitor, request, response) => {
  const plan = await planByCode(String(request.body?.plan ?? ""));
  if (!plan?.onSale || !plan.stripePrice) throw wrong("There is no such plan.");
  response.redirect(303, await asked(openCheckout(visitor, plan)));
}));

billing.get("/checkout/return", async (request, response) => {
  await asked(finishCheckout(String(request.query.session_id ?? "")));
  response.redirect(303, "/studio");
});

billing.post("/portal", forOwners(async ({ team }, _request, response) => {
  response.redirect(303, await asked(openPortal(team)));
}));
