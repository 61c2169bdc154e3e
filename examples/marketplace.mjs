// A marketplace: a seller, a destination charge with a fee, a refund that takes its share back.
import Stripe from "stripe";

const base = process.env.STRIPE_API_BASE && new URL(process.env.STRIPE_API_BASE);
const options = base ? { protocol: base.protocol.slice(0, -1), host: base.hostname, port: base.port } : {};
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY, options);

const seller = await stripe.accounts.create({
  type: "custom",
  country: "US",
  business_type: "individual",
  capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
  business_profile: { name: "Mill Lane Books", mcc: "5942", url: "https://accessible.stripe.com" },
  individual: {
    first_name: "Jenny",
    last_name: "Rosen",
    email: "jenny@example.test",
    phone: "0000000000",
    dob: { day: 1, month: 1, year: 1901 },
    address: { line1: "address_full_match", city: "San Francisco", state: "CA", postal_code: "94107", country: "US" },
    id_number: "000000000",
  },
  external_account: "btok_us_verified",
  tos_acceptance: { date: 1_767_000_000, ip: "192.0.2.7" },
});
console.log(`the seller may take payments: ${seller.charges_enabled}`);

const payment = await stripe.paymentIntents.create({
  amount: 10_000,
  currency: "usd",
  payment_method: "pm_card_visa",
  confirm: true,
  capture_method: "automatic",
  automatic_payment_methods: { enabled: true, allow_redirects: "never" },
  application_fee_amount: 1000,
  transfer_data: { destination: seller.id },
});
/** What the seller has, settled or on its way. */
async function balance() {
  const { available, pending } = await stripe.balance.retrieve({}, { stripeAccount: seller.id });
  return available[0].amount + pending[0].amount;
}
console.log(`the seller earned ${await balance()}`);

await stripe.refunds.create({
  payment_intent: payment.id, amount: 5000, reverse_transfer: true, refund_application_fee: true });
console.log(`after half went back: ${await balance()}`);
