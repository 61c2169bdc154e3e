// For the office: open the account of one shop at Stripe, and print where its owner tells Stripe about the business.
import { config } from "../config.js";
import { openAccount } from "../connect.js";
import { sellerBySlug } from "../sellers.js";
import { asking } from "../stripe.js";

const slug = process.argv[2];
const seller = slug && sellerBySlug(slug);
if (!seller) {
  console.error(slug ? `there is no shop ${slug}` : "usage: npm run connect:shop -- SLUG");
  process.exit(1);
}
if (!seller.stripe_account) await openAccount(seller, config.origin);
const account = sellerBySlug(slug).stripe_account;
const link = await asking((stripe) =>
  stripe.accountLinks.create({ account, type: "account_onboarding", refresh_url: `${config.origin}/dashboard`, return_url: `${config.origin}/dashboard` }),
);
console.log(`${seller.shop}: ${account}\n${link.url}`);
