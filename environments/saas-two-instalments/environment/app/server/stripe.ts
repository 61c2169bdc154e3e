/** The way to Stripe. */
import Stripe from "stripe";

import { config } from "./config.ts";

export const API_VERSION = "2025-08-27.basil";

let client: Stripe | undefined;

export function stripe(): Stripe {
  client ??= new Stripe(config.stripe.secretKey, {
    apiVersion: API_VERSION,
    maxNetworkRetries: 1,
    timeout: 20_000,
    appInfo: { name: "kilnbook" },
  });
  return client;
}

export { Stripe };
