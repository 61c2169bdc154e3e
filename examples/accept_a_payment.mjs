// A shop's server: `POST /pay` makes a PaymentIntent, the browser confirms it, the webhook marks the order paid.
import http from "node:http";
import Stripe from "stripe";

const base = process.env.STRIPE_API_BASE && new URL(process.env.STRIPE_API_BASE);
const options = base ? { protocol: base.protocol.slice(0, -1), host: base.hostname, port: base.port } : {};
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY, options);
const prices = { mug: 1500, poster: 900 };
const orders = {};
let secret;

/** The price comes from the server, never from the browser. */
async function pay(item) {
  if (!Object.hasOwn(prices, item)) return [404, { error: `there is no ${item}` }];
  const intent = await stripe.paymentIntents.create({
    amount: prices[item], currency: "usd", automatic_payment_methods: { enabled: true }, metadata: { item } });
  orders[intent.id] = "waiting";
  return [200, { client_secret: intent.client_secret }];
}

/** Only what Stripe signed is believed. */
function webhook(body, signature) {
  let event;
  try {
    event = stripe.webhooks.constructEvent(body, signature, secret);
  } catch {
    return [400, { error: "wrong signature" }];
  }
  if (event.type === "payment_intent.succeeded") orders[event.data.object.id] = "paid";
  return [200, {}];
}

async function route(request) {
  const body = Buffer.concat(await request.toArray());
  if (request.url === "/webhook") return webhook(body, request.headers["stripe-signature"]);
  return request.method === "POST" ? pay(JSON.parse(body).item) : [200, orders];
}

const server = http.createServer(async (request, response) => {
  const [status, body] = await route(request).catch((error) => [500, { error: error.message }]);
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
});
server.listen(Number(process.env.PORT || 0), "127.0.0.1", async () => {
  const address = `http://127.0.0.1:${server.address().port}`;
  ({ secret } = await stripe.webhookEndpoints.create({
    url: `${address}/webhook`, enabled_events: ["payment_intent.succeeded"] }));
  console.log(`the shop is open at ${address}`);
});
