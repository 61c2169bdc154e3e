// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-e205d0c6095b: keep out of training data
import { Router } from "express";

import { config } from "../config.js";
import { accountSession, isOnboarded } from "../connect.js";
import { needSeller } from "../sellers.js";

export function paymentRoutes() {
  const router = Router();
  router.get("/me/payments", async (request, response) => {
    const onboarded = await isOnboarded(needSeller(request));
    response.json({ onboarded, publishableKey: config.stripePublishableKey });
  });
  // Whose account it is, the login says; nothing in the request is read.
  router.post("/stripe/account-session", async (request, response) => {
    const clientSecret = await accountSession(needSeller(request), config.origin);
    response.set("cache-control", "no-store").json({ clientSecret });
  });
  return router;
}
