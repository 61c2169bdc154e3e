// A market's server with Express: it bundles the React page, and opens account sessions for the seller who is signed in.
import { build } from "esbuild";
import express from "express";
import Stripe from "stripe";

const base = process.env.STRIPE_API_BASE && new URL(process.env.STRIPE_API_BASE);
const options = base ? { protocol: base.protocol.slice(0, -1), host: base.hostname, port: base.port } : {};
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY, options);
const scripts = process.env.STRIPE_JS_BASE;
const here = import.meta.dirname;
const { outputFiles: [bundle] } = await build({
  entryPoints: [`${here}/desk.jsx`], bundle: true, write: false, format: "iife", jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"', STRIPE_KEY: JSON.stringify(process.env.STRIPE_PUBLISHABLE_KEY) } });
const roles = { owner: true, clerk: false }; // who may give money back

const app = express();
app.use(express.json());
app.get("/", (request, response) => {
  const ahead = scripts ? `<script src="${scripts}/v1.0/connect.js"></script>` : "";
  response.send(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Seller's desk</title></head>
<body><div id="root"></div>${ahead}<script src="/desk.js"></script></body></html>`);
});
app.get("/desk.js", (request, response) => response.type("text/javascript").send(Buffer.from(bundle.contents)));

// What a seller may do depends on their role, and is decided here: the browser cannot ask for more.
app.post("/account_session", async (request, response) => {
  const { role } = request.body;
  if (!Object.hasOwn(roles, role)) return response.status(403).json({ error: "unknown role" });
  const session = await stripe.accountSessions.create({
    account: process.env.SELLER_ACCOUNT,
    components: {
      payments: { enabled: true, features: { refund_management: roles[role], dispute_management: roles[role], capture_payments: roles[role] } },
      balances: { enabled: roles[role] },
    },
  });
  return response.json({ client_secret: session.client_secret });
});

const server = app.listen(Number(process.env.PORT ?? 4243), "127.0.0.1", () => {
  console.log(`open http://127.0.0.1:${server.address().port}`);
});
