// What every Node program of the conformance suites does. usage: node scenarios.mjs PACKAGE
import { once } from "node:events";
import { createRequire } from "node:module";
import assert from "node:assert/strict";
import http from "node:http";

const require = createRequire(new URL("../../../package.json", import.meta.url));
const loaded = require(process.argv[2] || "stripe");
const Stripe = loaded.default || loaded;
const { TWIN_URL, SECRET_KEY, PUBLISHABLE_KEY } = process.env;
const url = new URL(TWIN_URL);

export const connect = (key, options = {}) =>
  new Stripe(key, { host: url.hostname, port: Number(url.port), protocol: "http", maxNetworkRetries: 0, ...options });
export const stripe = connect(SECRET_KEY);

/** The error that a promise is rejected with; its fields are as expected. */
export async function refused(promise, expected) {
  try {
    await promise;
  } catch (error) {
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(error[name] ?? error.raw?.[name], value, `${name} of ${error.message}`);
    }
    return error;
  }
  throw new Error("nothing was refused");
}

/** Print `ok NAME` or `not ok NAME: why` for each. */
export async function run(scenarios) {
  for (const [name, scenario] of Object.entries(scenarios)) {
    try {
      await scenario();
      console.log(`ok ${name}`);
    } catch (error) {
      const where = String(error.stack).match(/scenarios\.mjs:\d+/g)?.join(" < ");
      console.log(`not ok ${name}: ${String(error.message).replaceAll("\n", " ")} (${where})`);
    }
  }
  process.exit();
}

/** What the bank's page does when the customer confirms (or fails) the challenge of an intent. */
export async function authenticate(intent, outcome = "succeeded") {
  const source = new URL(intent.next_action.redirect_to_url.url).searchParams.get("source");
  const form = { key: PUBLISHABLE_KEY, source, client_secret: intent.client_secret, outcome };
  const answer = await fetch(`${TWIN_URL}/v1/3ds2/challenge_complete`, { method: "POST", body: new URLSearchParams(form) });
  assert.equal(answer.status, 200);
}

/** A webhook endpoint of one's own: `wait(type)` answers the next verified event of that type. */
export const inbox = (...types) => receive(types, false);
/** The same for events of connected accounts. */
inbox.connect = (...types) => receive(types, true);

async function receive(enabled_events, connect) {
  const events = [];
  let secret;
  let wake = () => {};
  const server = http.createServer(async (request, response) => {
    const chunks = await request.toArray();
    try {
      events.push(stripe.webhooks.constructEvent(Buffer.concat(chunks), request.headers["stripe-signature"], secret));
      response.end();
      wake();
    } catch {
      response.writeHead(400).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  const address = `http://127.0.0.1:${server.address().port}/hook`;
  ({ secret } = await stripe.webhookEndpoints.create({ url: address, enabled_events, connect }));
  return {
    async wait(type) {
      const overdue = AbortSignal.timeout(30_000);
      for (;;) {
        const event = events.shift();
        if (event?.type === type) return event;
        if (event) continue;
        await new Promise((resolve, reject) => {
          wake = resolve;
          overdue.onabort = () => reject(new Error(`no ${type} came`));
        });
      }
    },
  };
}
