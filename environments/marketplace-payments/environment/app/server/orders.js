// An order is paid on Stripe's page, on the account of the shop it is from (a direct charge); our share is the
// application fee.
import { canSell } from "./connect.js";
import { all, one, run } from "./database.js";
import { Refusal } from "./errors.js";
import { itemById } from "./items.js";
import { feeOf } from "./money.js";
import { sellerById } from "./sellers.js";
import { asking } from "./stripe.js";

/** Begin to buy an item; the order and the address of the page to pay on. */
export async function startOrder(body, { origin, feePercent }) {
  const item = itemById(Number(body?.item));
  if (!item) throw new Refusal(404, "no_item", "There is no such item.");
  if (item.sold) throw new Refusal(409, "sold", "Somebody was faster: this one is sold.");
  const seller = sellerById(item.sellerId);
  if (!(await canSell(seller))) throw new Refusal(409, "not_ready", "This shop cannot take payments yet.");
  const fee = feeOf(item.amount, feePercent);
  const { lastInsertRowid } = run(
    "INSERT INTO orders (item_id, seller_id, amount, fee, currency) VALUES (?, ?, ?, ?, ?)",
    item.id, seller.id, item.amount, fee, item.currency,
  );
  const order = Number(lastInsertRowid);
  const session = await asking((stripe) =>
    stripe.checkout.sessions.create(
      {
        mode: "payment",
        payment_method_types: ["card"],
        line_items: [{ quantity: 1, price_data: { currency: item.currency, unit_amount: item.amount, product_data: { name: item.title } } }],
        payment_intent_data: { application_fee_amount: fee, description: `${item.title} (order ${order})`, metadata: { order: String(order) } },
        success_url: `${origin}/ordered/${order}?session_id={CHECKOUT_SESSION_ID}`,
        cancel_url: `${origin}/items/${item.id}`,
      },
      { stripeAccount: seller.stripe_account, idempotencyKey: `deckle-order-${order}-${item.amount}-${seller.stripe_account}` },
    ),
  );
  run("UPDATE orders SET stripe_session = ? WHERE id = ?", session.id, order);
  return { order, url: session.url };
}

/** What a buyer who comes back sees; an order is paid when its own session is. */
export async function finishOrder(id, sessionId) {
  const order = one("SELECT * FROM orders WHERE id = ? AND stripe_session = ?", id, sessionId);
  if (!order) throw new Refusal(404, "no_order", "There is no such order.");
  if (order.status === "open") {
    const seller = sellerById(order.seller_id);
    const session = await asking((stripe) => stripe.checkout.sessions.retrieve(order.stripe_session, {}, { stripeAccount: seller.stripe_account }));
    if (session.payment_status !== "paid") return { id: order.id, status: "open" };
    run(
      "UPDATE orders SET status = 'paid', buyer = ?, stripe_payment = ? WHERE id = ?",
      session.customer_details?.email ?? null, session.payment_intent, order.id,
    );
    run("UPDATE items SET sold = 1 WHERE id = ?", order.item_id);
  }
  return { id: order.id, status: "paid" };
}

/** A shop's paid orders, newest first. */
export function ordersOf(seller) {
  return all(
    `SELECT orders.id, title, orders.amount, fee, currency, buyer FROM orders JOIN items ON items.id = item_id
     WHERE orders.seller_id = ? AND orders.status = 'paid' ORDER BY orders.id DESC`,
    seller.id,
  );
}
