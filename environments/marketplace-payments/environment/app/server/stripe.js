import Stripe from "stripe";

import { config } from "./config.js";
import { Refusal } from "./errors.js";

let client;

export function stripe() {
  client ??= new Stripe(config.stripeSecretKey, {
    apiVersion: "2025-09-30.clover",
    maxNetworkRetries: 1,
    timeout: 15_000,
  });
  return client;
}

/** Ask Stripe for something; whoever is waiting for it gets a 502 when Stripe refuses or does not answer. */
export async function asking(work) {
  try {
    return await work(stripe());
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    console.error(`stripe: ${error.type}: ${error.message}`);
    throw new Refusal(502, "stripe", "Stripe could not do that. Please try again in a moment.");
  }
}
