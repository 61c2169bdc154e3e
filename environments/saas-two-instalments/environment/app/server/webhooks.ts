/** What Stripe tells us. */
import type { Request, Response } from "express";

import { finishCheckout } from "./checkout.ts";
import { config } from "./config.ts";
import { wrong } from "./errors.ts";
import { stripe, type Stripe } from "./stripe.ts";
import { apply, teamByCustomer } from "./subscriptions.ts";

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

async function handle(event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case "checkout.session.completed":
      await finishCheckout(event.data.object.id);
      return;
    case "customer.subscription.updated":
    case "customer.subscription.deleted": {
      const team = await teamByCustomer(String(event.data.object.customer));
      if (team) await apply(team, event.data.object);
      return;
    }
  }
}
