// The core payment journeys through the official Node SDK.
import assert from "node:assert/strict";
import { authenticate, inbox, refused, run, stripe } from "../shared/suite.mjs";

const automatic_payment_methods = { enabled: true, allow_redirects: "never" };
const return_url = "https://shop.example/done";
const equal = assert.deepEqual;

const declines = [
  ["visa_chargeDeclined", "card_declined", "generic_decline"],
  ["visa_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"],
  ["visa_chargeDeclinedLostCard", "card_declined", "lost_card"],
  ["visa_chargeDeclinedStolenCard", "card_declined", "stolen_card"],
  ["chargeDeclinedExpiredCard", "expired_card", "expired_card"],
  ["chargeDeclinedIncorrectCvc", "incorrect_cvc", "incorrect_cvc"],
  ["chargeDeclinedProcessingError", "processing_error", "processing_error"],
  ["visa_chargeDeclinedVelocityLimitExceeded", "card_declined", "card_velocity_exceeded"],
  ["radarBlock", "card_declined", "fraudulent"],
  ["chargeCustomerFail", "card_declined", "generic_decline"],
  ["visa_chargeCustomerFailLostCard", "card_declined", "lost_card"],
  ["visa_chargeCustomerFailStolenCard", "card_declined", "stolen_card"],
];

const pay = (more = {}, options = {}) =>
  stripe.paymentIntents.create(
    { amount: 2000, currency: "usd", payment_method: "pm_card_visa", confirm: true, capture_method: "automatic",
      automatic_payment_methods, ...more },
    options,
  );

async function customerWith(card) {
  const { id: customer } = await stripe.customers.create({ email: "ada@example.test" });
  return { customer, payment_method: (await stripe.paymentMethods.attach(card, { customer })).id };
}

let account;
/** An account that may charge and be paid out. */
async function connected() {
  account ??= (await stripe.accounts.create({
    type: "custom",
    country: "US",
    business_type: "individual",
    capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
    business_profile: { name: "Mill Lane Books", mcc: "5734", url: "https://accessible.stripe.com" },
    individual: {
      first_name: "Jenny",
      last_name: "Rosen",
      email: "jenny@example.test",
      phone: "0000000000",
      dob: { day: 1, month: 1, year: 1901 },
      address: { line1: "address_full_match", city: "San Francisco", state: "CA", postal_code: "94107", country: "US" },
      id_number: "000000000",
    },
    external_account: {
      object: "bank_account", country: "US", currency: "usd", account_number: "000123456789", routing_number: "110000000",
    },
    tos_acceptance: { date: 1_767_000_000, ip: "192.0.2.7" },
  })).id;
  return account;
}
const there = async () => ({ stripeAccount: await connected() });

async function disputed(card) {
  const box = await inbox("charge.dispute.created", "charge.dispute.closed");
  const { latest_charge } = await pay({ amount: 1000, payment_method: card });
  await box.wait("charge.dispute.created");
  const { data } = await stripe.disputes.list({ charge: latest_charge });
  equal(data.length, 1);
  return { box, dispute: data[0] };
}

const scenarios = {
  async accept_a_payment() {
    const box = await inbox("payment_intent.created", "payment_intent.succeeded", "charge.succeeded");
    const intent = await stripe.paymentIntents.create(
      { amount: 1999, currency: "eur", automatic_payment_methods, metadata: { order: "7" } });
    equal([intent.status, intent.amount_received], ["requires_payment_method", 0]);
    const paid = await stripe.paymentIntents.confirm(intent.id, { payment_method: "pm_card_mastercard" });
    equal([paid.status, paid.amount_received], ["succeeded", 1999]);
    const event = await box.wait("payment_intent.succeeded");
    const told = event.data.object;
    equal([told.id, told.status, told.metadata.order], [intent.id, "succeeded", "7"]);
    equal((await stripe.events.retrieve(event.id)).data.object.id, intent.id);
  },
  async confirm_twice() {
    const intent = await pay();
    const error = await refused(stripe.paymentIntents.confirm(intent.id), {
      type: "StripeInvalidRequestError", code: "payment_intent_unexpected_state", statusCode: 400 });
    equal(error.payment_intent.status, "succeeded");
    equal((await stripe.charges.list({ payment_intent: intent.id })).data.length, 1);
  },
  async save_a_card_and_charge_off_session() {
    const { id: customer } = await stripe.customers.create({ email: "ada@example.test" });
    let setup = await stripe.setupIntents.create({ customer, usage: "off_session", automatic_payment_methods });
    equal(setup.status, "requires_payment_method");
    setup = await stripe.setupIntents.confirm(setup.id, { payment_method: "pm_card_visa" });
    equal(setup.status, "succeeded");
    const [card] = (await stripe.paymentMethods.list({ customer, type: "card" })).data;
    equal([card.id, card.customer], [setup.payment_method, customer]);
    const paid = await pay({ amount: 1500, payment_method: card.id, customer, off_session: true });
    equal([paid.status, paid.payment_method], ["succeeded", card.id]);
  },
  async off_session_authentication_and_recovery() {
    const saved = await customerWith("pm_card_authenticationRequired");
    const error = await refused(pay({ amount: 1500, ...saved, off_session: true }), {
      type: "StripeCardError", code: "authentication_required", decline_code: "authentication_required", statusCode: 402 });
    const intent = error.payment_intent;
    equal([intent.status, intent.last_payment_error.payment_method.id], ["requires_payment_method", saved.payment_method]);
    const recovered = await stripe.paymentIntents.confirm(intent.id, { payment_method: saved.payment_method, return_url });
    equal([recovered.status, recovered.next_action.type], ["requires_action", "redirect_to_url"]);
    await authenticate(recovered);
    const { data } = await stripe.paymentIntents.list({ customer: saved.customer });
    equal(data.map((i) => [i.id, i.status, i.amount_received]), [[intent.id, "succeeded", 1500]]);
  },
  async manual_capture() {
    const held = await pay({ capture_method: "manual" });
    equal([held.status, held.amount_capturable, held.amount_received], ["requires_capture", 2000, 0]);
    equal((await stripe.charges.retrieve(held.latest_charge)).captured, false);
    const taken = await stripe.paymentIntents.capture(held.id);
    equal([taken.status, taken.amount_capturable, taken.amount_received], ["succeeded", 0, 2000]);
    const charge = await stripe.charges.retrieve(held.latest_charge, { expand: ["balance_transaction"] });
    equal([charge.captured, charge.balance_transaction.amount], [true, 2000]);
  },
  async partial_capture() {
    const held = await pay({ capture_method: "manual" });
    await refused(stripe.paymentIntents.capture(held.id, { amount_to_capture: 2001 }), {
      type: "StripeInvalidRequestError", code: "amount_too_large", statusCode: 400 });
    const taken = await stripe.paymentIntents.capture(held.id, {
      amount_to_capture: 1500, expand: ["latest_charge.balance_transaction"] });
    equal([taken.status, taken.amount, taken.amount_received], ["succeeded", 2000, 1500]);
    equal([taken.latest_charge.amount_captured, taken.latest_charge.balance_transaction.amount], [1500, 1500]);
  },
  async cancel_an_authorization() {
    const held = await pay({ capture_method: "manual" });
    const gone = await stripe.paymentIntents.cancel(held.id, { cancellation_reason: "requested_by_customer" });
    equal([gone.status, gone.cancellation_reason], ["canceled", "requested_by_customer"]);
    equal((await stripe.charges.retrieve(held.latest_charge)).refunded, true);
    await refused(stripe.paymentIntents.capture(held.id), { code: "payment_intent_unexpected_state" });
  },
  async decline_on_confirm() {
    const intent = await stripe.paymentIntents.create({
      amount: 100, currency: "eur", payment_method: "pm_card_visa_chargeDeclinedInsufficientFunds",
      automatic_payment_methods, capture_method: "manual" });
    equal(intent.status, "requires_confirmation");
    const error = await refused(stripe.paymentIntents.confirm(intent.id), {
      type: "StripeCardError", code: "card_declined", decline_code: "insufficient_funds",
      advice_code: "try_again_later", network_decline_code: "51", statusCode: 402 });
    const failed = await stripe.paymentIntents.retrieve(intent.id, { expand: ["latest_charge"] });
    equal([failed.status, failed.payment_method], ["requires_payment_method", null]);
    equal([failed.latest_charge.id, failed.latest_charge.status], [error.charge, "failed"]);
    equal(failed.last_payment_error.code, "card_declined");
    const retried = await stripe.paymentIntents.confirm(intent.id, { payment_method: "pm_card_visa" });
    equal([retried.status, retried.last_payment_error], ["requires_capture", null]);
  },
  async decline_codes() {
    for (const [card, code, decline_code] of declines) {
      const error = await refused(pay({ payment_method: `pm_card_${card}` }), {
        type: "StripeCardError", statusCode: 402, code, decline_code });
      equal(error.payment_intent.status, "requires_payment_method", card);
    }
  },
  async refund_in_parts() {
    const { id: payment_intent, latest_charge: charge } = await pay();
    const part = await stripe.refunds.create({ payment_intent, amount: 500, reason: "requested_by_customer" });
    equal([part.status, part.amount, part.reason], ["succeeded", 500, "requested_by_customer"]);
    let shown = await stripe.charges.retrieve(charge);
    equal([shown.amount_refunded, shown.refunded], [500, false]);
    const rest = await stripe.refunds.create({ charge });
    equal(rest.amount, 1500);
    shown = await stripe.charges.retrieve(charge);
    equal([shown.amount_refunded, shown.refunded], [2000, true]);
    equal((await stripe.refunds.list({ charge })).data.map((r) => r.id), [rest.id, part.id]);
  },
  async refund_too_much() {
    const type = "StripeInvalidRequestError";
    const { latest_charge: charge } = await pay({ amount: 1000 });
    await refused(stripe.refunds.create({ charge, amount: 1100 }), {
      type, param: "amount", code: undefined, message: "Refund amount ($11.00) is greater than charge amount ($10.00)" });
    await stripe.refunds.create({ charge, amount: 500 });
    await refused(stripe.refunds.create({ charge, amount: 600 }), {
      type, message: "Refund amount ($6.00) is greater than unrefunded amount on charge ($5.00)" });
    await stripe.refunds.create({ charge });
    await refused(stripe.refunds.create({ charge, amount: 100 }), { type, code: "charge_already_refunded" });
    const { latest_charge: other } = await pay();
    await refused(stripe.refunds.create({ charge: other, amount: -1 }), { type, code: "parameter_invalid_integer", param: "amount" });
  },
  async dispute_lost() {
    const { box, dispute } = await disputed("pm_card_createDispute");
    equal([dispute.status, dispute.reason, dispute.amount], ["needs_response", "fraudulent", 1000]);
    equal(dispute.balance_transactions.map((t) => [t.amount, t.fee, t.net, t.type]), [[-1000, 1500, -2500, "adjustment"]]);
    const answered = await stripe.disputes.update(dispute.id, { evidence: { uncategorized_text: "losing_evidence" } });
    equal(answered.status, "under_review");
    await box.wait("charge.dispute.closed");
    const lost = await stripe.disputes.retrieve(dispute.id);
    equal([lost.status, lost.is_charge_refundable, lost.balance_transactions.length], ["lost", false, 1]);
  },
  async dispute_won() {
    const { box, dispute } = await disputed("pm_card_createDisputeProductNotReceived");
    equal(dispute.reason, "product_not_received");
    const evidence = { uncategorized_text: "winning_evidence", customer_name: "Ada" };
    const staged = await stripe.disputes.update(dispute.id, { evidence, submit: false });
    equal([staged.status, staged.evidence_details.submission_count], ["needs_response", 0]);
    equal((await stripe.disputes.update(dispute.id, { submit: true })).status, "under_review");
    await box.wait("charge.dispute.closed");
    const won = await stripe.disputes.retrieve(dispute.id);
    equal([won.status, won.balance_transactions.map((t) => t.amount)], ["won", [-1000, 1000]]);
  },
  async customer_cards() {
    const { customer, payment_method: visa } = await customerWith("pm_card_visa");
    const { id: mastercard } = await stripe.paymentMethods.attach("pm_card_mastercard", { customer });
    const changed = await stripe.customers.update(customer, { invoice_settings: { default_payment_method: mastercard } });
    equal(changed.invoice_settings.default_payment_method, mastercard);
    const kept = await stripe.customers.listPaymentMethods(customer, { type: "card" });
    equal(kept.data.map((m) => [m.id, m.card.brand]), [[mastercard, "mastercard"], [visa, "visa"]]);
    await refused(stripe.paymentMethods.attach("pm_card_chargeDeclined", { customer }), {
      type: "StripeCardError", code: "card_declined" });
    equal((await stripe.paymentMethods.detach(visa)).customer, null);
    equal((await stripe.paymentMethods.list({ customer })).data.map((m) => m.id), [mastercard]);
    await refused(pay({ payment_method: visa, customer }), { type: "StripeInvalidRequestError", statusCode: 400 });
    await stripe.paymentMethods.detach(mastercard);
    equal((await stripe.customers.retrieve(customer)).invoice_settings.default_payment_method, null);
  },
  async onboard_a_connected_account() {
    const box = await inbox.connect("account.updated");
    const made = await connected();
    equal((await box.wait("account.updated")).account, made);
    const shown = await stripe.accounts.retrieve(made);
    equal([shown.charges_enabled, shown.payouts_enabled, shown.details_submitted], [true, true, true]);
    equal([shown.capabilities.transfers, shown.requirements.currently_due, shown.requirements.pending_verification],
      ["active", [], []]);
  },
  async direct_charge_with_a_fee() {
    const { latest_charge: charge } = await pay({ amount: 1000, application_fee_amount: 120 }, await there());
    const [fee] = (await stripe.applicationFees.list({ charge })).data;
    equal([fee.amount, fee.account], [120, await connected()]);
    await stripe.refunds.create({ charge, amount: 500 }, await there());
    equal((await stripe.applicationFees.retrieve(fee.id)).amount_refunded, 0);
    await stripe.refunds.create({ charge, amount: 500, refund_application_fee: true }, await there());
    const left = await stripe.applicationFees.retrieve(fee.id);
    equal([left.amount_refunded, left.refunded], [60, false]);
  },
  async destination_charge_with_a_fee() {
    const destination = await connected();
    const { latest_charge: charge } = await pay({
      amount: 1000, application_fee_amount: 123, transfer_data: { destination }, expand: ["latest_charge.transfer"] });
    equal([charge.transfer.amount, charge.transfer.destination], [1000, destination]);
    const rows = await stripe.balanceTransactions.list({ source: charge.transfer.destination_payment }, await there());
    equal(rows.data.map((t) => [t.amount, t.fee, t.net]), [[1000, 123, 877]]);
    const fee = await stripe.applicationFees.retrieve(charge.application_fee);
    equal([fee.amount, fee.originating_transaction], [123, charge.id]);
  },
  async destination_charge_refunded_in_part() {
    const { latest_charge: charge } = await pay({
      amount: 1200, transfer_data: { destination: await connected(), amount: 880 } });
    const { transfer } = await stripe.charges.retrieve(charge);
    equal((await stripe.refunds.create({ charge, amount: 200 })).transfer_reversal, null);
    equal((await stripe.transfers.retrieve(transfer)).amount_reversed, 0);
    const refund = await stripe.refunds.create({ charge, amount: 500, reverse_transfer: true, refund_application_fee: true });
    const shown = await stripe.transfers.retrieve(transfer);
    const [reversal] = shown.reversals.data;
    equal([shown.amount_reversed, shown.reversed, reversal.amount], [367, false, 367]);
    equal([refund.transfer_reversal, reversal.source_refund], [reversal.id, refund.id]);
  },
  async payouts() {
    const options = await there();
    const available = async () => (await stripe.balance.retrieve({}, options)).available[0].amount;
    await pay({ amount: 100_000, payment_method: "pm_card_bypassPending" }, options);
    const before = await available();
    await refused(stripe.payouts.create({ amount: before + 1, currency: "usd" }, options), {
      type: "StripeInvalidRequestError", code: "balance_insufficient" });
    equal((await stripe.payouts.list({}, options)).data, []);
    const payout = await stripe.payouts.create({ amount: 5000, currency: "usd" }, options);
    equal([payout.status, payout.amount, payout.automatic], ["pending", 5000, false]);
    equal(await available(), before - 5000);
    equal((await stripe.payouts.cancel(payout.id, {}, options)).status, "canceled");
    equal(await available(), before);
  },
  async balance_transactions_and_fees() {
    const pending = async () => (await stripe.balance.retrieve()).pending[0].amount;
    const before = await pending();
    const { latest_charge: charge } = await pay({ amount: 10_000 });
    const rows = await stripe.balanceTransactions.list({ source: charge });
    equal(rows.data.map((t) => [t.type, t.amount, t.fee, t.net, t.status]), [["charge", 10_000, 320, 9680, "pending"]]);
    equal(await pending(), before + 9680);
    const foreign = await pay({ amount: 10_000, payment_method: "pm_card_gb", expand: ["latest_charge.balance_transaction"] });
    equal(foreign.latest_charge.balance_transaction.fee, 470);
    const { balance_transaction: back } = await stripe.refunds.create({ charge, expand: ["balance_transaction"] });
    equal([back.type, back.amount, back.fee], ["refund", -10_000, 0]);
  },
  async idempotent_retries() {
    const saved = await customerWith("pm_card_visa");
    const once = { idempotencyKey: `node-${Date.now()}` };
    const first = await pay({ amount: 1500, ...saved }, once);
    equal((await pay({ amount: 1500, ...saved }, once)).id, first.id);
    equal((await stripe.charges.list({ customer: saved.customer })).data.length, 1);
    await refused(pay({ amount: 1600, ...saved }, once), { type: "StripeIdempotencyError", statusCode: 400 });
    const declined = () => refused(pay({ payment_method: "pm_card_chargeDeclined" }, { idempotencyKey: `node-declined-${first.id}` }),
      { type: "StripeCardError", statusCode: 402 });
    const [one, two] = [await declined(), await declined()];
    equal([two.charge, two.payment_intent.id], [one.charge, one.payment_intent.id]);
    equal(two.headers["idempotent-replayed"], "true");
  },
  async stripe_account_isolation() {
    const { id } = await stripe.customers.create({ name: "Ada" }, await there());
    await refused(stripe.customers.retrieve(id), {
      type: "StripeInvalidRequestError", code: "resource_missing", param: "id", statusCode: 404,
      message: `No such customer: '${id}'` });
    equal((await stripe.customers.retrieve(id, {}, await there())).name, "Ada");
    await refused(stripe.customers.list({}, { stripeAccount: "acct_1Nobody" }), {
      type: "StripePermissionError", code: "account_invalid", statusCode: 403 });
  },
};

await run(scenarios);
