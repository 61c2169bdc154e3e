// Keep a card now with a SetupIntent, charge it later without its holder.
import Stripe from "stripe";

const base = process.env.STRIPE_API_BASE && new URL(process.env.STRIPE_API_BASE);
const options = base ? { protocol: base.protocol.slice(0, -1), host: base.hostname, port: base.port } : {};
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY, options);

const customer = await stripe.customers.create({ email: "ada@example.test" });
let setup = await stripe.setupIntents.create({
  customer: customer.id, usage: "off_session", automatic_payment_methods: { enabled: true, allow_redirects: "never" } });
// In a browser Stripe.js confirms with what the customer types; on the server a test card stands in.
setup = await stripe.setupIntents.confirm(setup.id, { payment_method: "pm_card_visa" });
console.log(`the card is kept: ${setup.status}`);

const [card] = (await stripe.paymentMethods.list({ customer: customer.id, type: "card" })).data;
const payment = await stripe.paymentIntents.create({
  amount: 2500, currency: "usd", customer: customer.id, payment_method: card.id, off_session: true, confirm: true });
console.log(`charged ${payment.amount_received} to ${card.card.brand} ${card.card.last4}: ${payment.status}`);
