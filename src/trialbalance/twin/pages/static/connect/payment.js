// One payment over the page: what happened to it, and refund, capture and disputes where the session allows them.

import { h } from '../ui/dom.js';
import { ask, beacon, emit } from './frame.js';
import { dialog } from './dialog.js';
import { alertBox, amountOf, button, day, form, identifier, input, method, minute, money, pairs, plain, select, typed } from './parts.js';
import { DISPUTE, from, mark, STATUS } from './payments.js';
import { state } from './state.js';

const REASONS = [['requested_by_customer', 'Requested by customer'], ['duplicate', 'Duplicate'], ['fraudulent', 'Fraudulent']];
let payment;
let sheet;

export async function run() {
  sheet = dialog('Payment');
  payment = await ask('GET', `payments/${state.id}`);
  draw();
}

async function done(event, detail, work) {
  payment = await work;
  beacon.send(event, { payment: payment.id, ...detail });
  emit('changed', {});
  draw();
}

function draw() {
  const { allowed } = payment;
  sheet.title(money(payment.amount, payment.currency));
  sheet.show(
    h('p', { class: 'status' }, mark(STATUS, payment.status)),
    h('div', { class: 'actions start' },
      allowed.refund ? button('Refund', refund, 'secondary', { 'data-testid': 'refund-button' }) : null,
      allowed.capture ? button('Capture', () => confirm('Capture this payment?', `${money(payment.amount, payment.currency)} will be charged.`, 'Capture', () => done('capture', {}, ask('POST', `payments/${payment.id}/capture`))), 'primary') : null,
      allowed.cancel ? button('Cancel payment', () => confirm('Cancel this payment?', 'The customer will not be charged.', 'Cancel payment', () => done('cancel', {}, ask('POST', `payments/${payment.id}/cancel`)), true), 'secondary') : null),
    payment.failure_message ? alertBox(payment.failure_message) : null,
    pairs([
      ['Date', minute(payment.created)],
      ['From', from(payment)],
      ['Payment method', method(payment.method)],
      payment.description ? ['Description', payment.description] : null,
      payment.amount_refunded ? ['Refunded', money(payment.amount_refunded, payment.currency)] : null,
      payment.fee !== null ? ['Fees', money(payment.fee, payment.settlement_currency)] : null,
      payment.net !== null ? ['Net', money(payment.net, payment.settlement_currency)] : null,
      state.showIds ? ['Payment ID', identifier(payment.id)] : null,
    ]),
    payment.disputes.map(dispute),
    payment.refunds.length ? [h('h3', { class: 'heading small' }, 'Refunds'), h('ul', { class: 'cards' }, payment.refunds.map((item) =>
      h('li', { class: 'card' }, `${money(item.amount, item.currency)} · ${plain(item.status)} · ${day(item.created)}${item.reason ? ` · ${plain(item.reason)}` : ''}`)))] : null,
  );
}

const confirm = (title, text, submit, work, danger) => {
  sheet.title(title);
  sheet.show(h('p', {}, text), form([], submit, work, { cancel: draw, danger }));
};

function refund() {
  sheet.title('Refund payment');
  sheet.show(
    h('p', { class: 'quiet' }, `At most ${money(payment.amount_refundable, payment.currency)} can be refunded. Fees are not returned.`),
    form([
      input('amount', `Amount (${payment.currency.toUpperCase()})`, { value: typed(payment.amount_refundable, payment.currency), inputmode: 'decimal' }),
      select('reason', 'Reason', REASONS, 'requested_by_customer'),
    ], 'Refund', ({ amount, reason }) => done('refund', { reason }, ask('POST', `payments/${payment.id}/refund`, { amount: amountOf(amount, payment.currency), reason })), { cancel: draw }),
  );
}

function dispute(found) {
  return h('section', { class: 'card', 'aria-label': 'Dispute' },
    h('h3', { class: 'heading small' }, 'Dispute ', mark(DISPUTE, found.status)),
    pairs([['Amount', money(found.amount, found.currency)], ['Reason', plain(found.reason)], found.allowed.respond ? ['Respond by', day(found.due_by)] : null]),
    h('div', { class: 'actions start' },
      found.allowed.respond ? button('Counter dispute', () => counter(found), 'primary') : null,
      found.allowed.accept ? button('Accept dispute', () => confirm('Accept this dispute?', `You will lose ${money(found.amount, found.currency)}. This cannot be undone.`, 'Accept dispute', () => answered('dispute_accept', ask('POST', `disputes/${found.id}/accept`)), true), 'secondary') : null));
}

async function answered(event, work) {
  await work;
  await done(event, {}, ask('GET', `payments/${payment.id}`));
}

function counter(found) {
  const text = h('textarea', { class: 'control', id: 'explanation', name: 'uncategorized_text', rows: 5, maxlength: 4000 });
  text.value = found.evidence.uncategorized_text ?? '';
  sheet.title('Counter dispute');
  sheet.show(form([
    input('customer_name', 'Customer name', { value: found.evidence.customer_name }),
    input('customer_email_address', 'Customer email', { value: found.evidence.customer_email_address, type: 'email' }),
    input('product_description', 'What was sold', { value: found.evidence.product_description }),
    h('div', { class: 'group' }, h('label', { class: 'label', for: 'explanation' }, 'Why the payment is right'), text),
  ], 'Submit evidence', (values) => answered('dispute_respond', ask('POST', `disputes/${found.id}/respond`, { evidence: Object.fromEntries(Object.entries(values).filter(([, value]) => value)), submit: true })), { cancel: draw }));
}

