// Shops' accounts at Stripe. Every account we open is of the same kind, so that the books stay the same for all:
// Stripe collects what the law wants to know, bears losses and takes its fees from the shop, and a shop that needs
// something of its account finds it with us, not in a dashboard of Stripe's.
import { keepAccount } from "./sellers.js";
import { asking } from "./stripe.js";

export function accountOf(seller, origin) {
  return {
    country: seller.country,
    email: seller.email,
    controller: {
      fees: { payer: "account" },
      losses: { payments: "stripe" },
      requirement_collection: "stripe",
      stripe_dashboard: { type: "none" },
    },
    capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
    business_profile: { name: seller.shop, url: `${origin}/shops/${seller.slug}` },
    metadata: { seller: String(seller.id) },
  };
}

/** Open a shop's account and remember it. */
export async function openAccount(seller, origin) {
  const account = await asking((stripe) => stripe.accounts.create(accountOf(seller, origin)));
  keepAccount(seller, account.id);
  return account;
}

/** Whether a shop can take payments by now: Stripe knows. */
export async function canSell(seller) {
  if (!seller.stripe_account || seller.status !== "open") return false;
  const account = await asking((stripe) => stripe.accounts.retrieve(seller.stripe_account));
  return account.charges_enabled === true;
}
