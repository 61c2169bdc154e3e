// A box scheme's server: it makes the Checkout Session of a subscription; the page is Vue without a build step.
import express from "express";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import Stripe from "stripe";

const base = process.env.STRIPE_API_BASE && new URL(process.env.STRIPE_API_BASE);
const options = base ? { protocol: base.protocol.slice(0, -1), host: base.hostname, port: base.port } : {};
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY, options);
const scripts = process.env.STRIPE_JS_BASE;
const places = createRequire(import.meta.url);
const folder = (name) => dirname(places.resolve(`${name}/package.json`));

const product = await stripe.products.create({ name: "Vegetable box" });
const sizes = {};
for (const [size, amount] of [["small", 1200], ["large", 2100]]) {
  const price = await stripe.prices.create({ product: product.id, currency: "eur", unit_amount: amount, recurring: { interval: "week" } });
  sizes[size] = price.id;
}

const app = express();
app.use(express.json());
app.get("/", (request, response) => {
  const ahead = scripts ? `<script src="${scripts}/v3/"></script>` : "";
  response.send(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Box scheme</title>${ahead}
<script type="importmap">{"imports": {"vue": "/vue/vue.esm-browser.prod.js", "@stripe/stripe-js": "/stripe-js/index.mjs"}}</script>
<meta name="key" content="${process.env.STRIPE_PUBLISHABLE_KEY}"></head>
<body><div id="app"></div><script type="module" src="/app.js"></script></body></html>`);
});
app.get("/app.js", (request, response) => response.sendFile("app.js", { root: import.meta.dirname }));
app.use("/vue", express.static(`${folder("vue")}/dist`));
app.use("/stripe-js", express.static(`${folder("@stripe/stripe-js")}/dist`));

app.post("/session", async (request, response) => {
  const { size } = request.body;
  if (!Object.hasOwn(sizes, size)) return response.status(404).json({ error: "no such box" });
  const session = await stripe.checkout.sessions.create({
    mode: "subscription", ui_mode: "embedded_page", redirect_on_completion: "never",
    line_items: [{ price: sizes[size], quantity: 1 }] });
  return response.json({ id: session.id, client_secret: session.client_secret });
});
// Whether a box is ordered is asked of Stripe, not of the browser.
app.get("/session/:id", async (request, response) => {
  const { status, payment_status, subscription } = await stripe.checkout.sessions.retrieve(request.params.id);
  response.json({ status, payment_status, subscription });
});

const server = app.listen(Number(process.env.PORT ?? 4244), "127.0.0.1", () => {
  console.log(`open http://127.0.0.1:${server.address().port}`);
});
