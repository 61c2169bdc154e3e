// A charge without its customer, whose bank wants them: the refusal, the link to send, the same intent again.
import Stripe from "stripe";

const base = process.env.STRIPE_API_BASE && new URL(process.env.STRIPE_API_BASE);
const options = base ? { protocol: base.protocol.slice(0, -1), host: base.hostname, port: base.port } : {};
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY, options);

const customer = await stripe.customers.create({ email: "ada@example.test" });
const card = await stripe.paymentMethods.attach("pm_card_authenticationRequired", { customer: customer.id });

const intent = await stripe.paymentIntents
  .create({
    amount: 2500, currency: "usd", customer: customer.id, payment_method: card.id, off_session: true, confirm: true })
  .then(
    () => { throw new Error("the bank did not ask"); },
    (error) => {
      if (!(error instanceof Stripe.errors.StripeCardError)) throw error;
      console.log(`refused: ${error.code}; the payment waits: ${error.payment_intent.status}`);
      return error.payment_intent;
    },
  );

// Bring the customer back: the same PaymentIntent, now with them at the screen.
const waiting = await stripe.paymentIntents.confirm(intent.id, {
  payment_method: card.id, return_url: "https://shop.example/done" });
console.log(`${waiting.status}: send the customer to ${waiting.next_action.redirect_to_url.url}`);
