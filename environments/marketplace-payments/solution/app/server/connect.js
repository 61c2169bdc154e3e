// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-0c01af052618: keep out of training data
// Shops' accounts at Stripe. Every account we open is of the same kind, so that the books stay the same for all:
// Stripe collects what the law wants to know, bears losses and takes its fees from the shop, and a shop that needs
// something of its account finds it with us, not in a dashboard of Stripe's.
import { Refusal } from "./errors.js";
import { keepAccount, sellerById } from "./sellers.js";
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

const opening = new Map();

/** A shop's account, which is opened if it has none yet: once, whoever asks meanwhile. */
export async function accountFor(seller, origin) {
  const known = sellerById(seller.id).stripe_account;
  if (known) return known;
  if (!opening.has(seller.id)) {
    opening.set(seller.id, openAccount(seller, origin).finally(() => opening.delete(seller.id)));
  }
  return (await opening.get(seller.id)).id;
}

// What the Payments tab can do is decided here and nowhere else: a component that is not named is off, and so is a
// feature that says so, whatever a page asks for.
const COMPONENTS = {
  account_onboarding: { enabled: true },
  payments: { enabled: true, features: { capture_payments: false, dispute_management: true, refund_management: false } },
};

function needOpen(seller) {
  if (seller.status !== "open") throw new Refusal(403, "closed", "Your shop is closed.");
}

/** The secret by which a browser shows the seller's own account, once, for an hour. */
export async function accountSession(seller, origin) {
  needOpen(seller);
  const account = await accountFor(seller, origin);
  const session = await asking((stripe) => stripe.accountSessions.create({ account, components: COMPONENTS }));
  return session.client_secret;
}

/** Whether a seller has told Stripe what it wants to know. */
export async function isOnboarded(seller) {
  needOpen(seller);
  if (!seller.stripe_account) return false;
  const account = await asking((stripe) => stripe.accounts.retrieve(seller.stripe_account));
  return account.details_submitted === true;
}

/** Whether a shop can take payments by now: Stripe knows. */
export async function canSell(seller) {
  if (!seller.stripe_account || seller.status !== "open") return false;
  const account = await asking((stripe) => stripe.accounts.retrieve(seller.stripe_account));
  return account.charges_enabled === true;
}
