import { Router } from "express";

import { readBrand } from "../brand.js";
import { config } from "../config.js";
import { accountFor, isOnboarded } from "../connect.js";
import { Refusal } from "../errors.js";
import { needSeller } from "../sellers.js";
import { asking } from "../stripe.js";

const FEATURES = { refund_management: false, dispute_management: true };

function lookOf(brand) {
  return {
    colorText: brand.ink,
    colorSecondaryText: brand["faded-ink"],
    colorBackground: brand.paper,
    offsetBackgroundColor: brand.sheet,
    colorBorder: brand.line,
    colorPrimary: brand.accent,
    colorDanger: brand.alarm,
    fontFamily: brand.font,
    fontSizeBase: brand["type-size"],
    borderRadius: brand.corner,
    spacingUnit: brand.step,
  };
}

function openSeller(request) {
  const seller = needSeller(request);
  if (seller.status === "closed") throw new Refusal(403, "closed", "This shop is closed.");
  return seller;
}

export function paymentRoutes() {
  const router = Router();
  router.get("/stripe/settings", async (request, response) => {
    const onboarded = await isOnboarded(openSeller(request));
    response.json({ onboarded, publishableKey: config.stripePublishableKey, look: lookOf(readBrand(config.brand)) });
  });
  router.post("/stripe/account-session", async (request, response) => {
    const seller = openSeller(request);
    const account = await accountFor(seller, config.origin);
    const ready = (await asking((stripe) => stripe.accounts.retrieve(account))).details_submitted;
    const components = ready ? { payments: { enabled: true, features: FEATURES } } : { account_onboarding: { enabled: true } };
    const made = await asking((stripe) => stripe.accountSessions.create({ account, components }));
    response.set("Cache-Control", "private, no-store").json({ clientSecret: made.client_secret, expiresAt: made.expires_at });
  });
  return router;
}
