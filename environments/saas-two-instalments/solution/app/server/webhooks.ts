// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-84a4d76653f3: keep out of training data
/** What Stripe tells us. The account is shared, so most of it may be no business of ours. */
import type { Request, Response } from "express";

import { config } from "./config.ts";
import { wrong } from "./errors.ts";
import { stripe, type Stripe } from "./stripe.ts";
import { refresh, teamByCustomer } from "./subscriptions.ts";

export async function receive(request: Request, response: Response): Promise<void> {
  let event: Stripe.Event;
  try {
    const signature = request.headers["stripe-signature"] ?? "";
    event = stripe().webhooks.constructEvent(request.body as Buffer, signature, config.stripe.webhookSecret);
  } catch {
    throw wrong("This was not signed by Stripe.");
  }
  await handle(event);
  response.json({ received: true });
}

/** An event says whom to look at; what has become of them is asked of Stripe, as events come late and in any order. */
async function handle(event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.expired":
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.deleted":
    case "invoice.paid": {
      const team = await teamByCustomer(String(event.data.object.customer));
      if (team) await refresh(team.id);
      return;
    }
  }
}
