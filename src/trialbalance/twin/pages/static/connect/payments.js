// The list of payments: tabs, filters, pages; a row opens its payment over the page.

import { h, replace } from '../ui/dom.js';
import { ask, beacon, box, emit } from './frame.js';
import { badge, day, identifier, method, minute, money, Pager, plain, select, table } from './parts.js';
import { state } from './state.js';

export const STATUS = {
  blocked: ['danger', 'Blocked'], canceled: ['neutral', 'Canceled'], disputed: ['warning', 'Disputed'], early_fraud_warning: ['warning', 'Fraud warning'],
  failed: ['danger', 'Failed'], incomplete: ['neutral', 'Incomplete'], partially_refunded: ['neutral', 'Partial refund'], pending: ['neutral', 'Pending'],
  refund_pending: ['neutral', 'Refund pending'], refunded: ['neutral', 'Refunded'], successful: ['success', 'Succeeded'], uncaptured: ['warning', 'Uncaptured'],
};
export const DISPUTE = {
  lost: ['danger', 'Lost'], needs_response: ['warning', 'Needs response'], under_review: ['neutral', 'Under review'], warning_closed: ['neutral', 'Inquiry closed'],
  warning_needs_response: ['warning', 'Inquiry: needs response'], warning_under_review: ['neutral', 'Inquiry: under review'], won: ['success', 'Won'],
};
export const mark = (table, status) => badge(...(table[status] ?? ['neutral', plain(status)]));
export const from = (row) => row.from ?? method(row.method);

const own = { status: '' };
let tab = 'all';
let shown;

// The filters a site set, as parameters of the list.
function defaults() {
  const { amount, date, status, paymentMethod } = state.props.defaultFilters ?? {};
  const out = {};
  const seconds = (value) => Math.floor(new Date(value).getTime() / 1000);
  if (amount?.equals !== undefined) out.amount = amount.equals;
  else if (amount) {
    out.amount = {
      gt: amount.greaterThan, lt: amount.lessThan,
      ...(amount.between ? { gte: amount.between.lowerBound, lte: amount.between.upperBound } : {}),
    };
  }
  if (date) {
    out.created = {
      lt: date.before && seconds(date.before), gt: date.after && seconds(date.after),
      ...(date.between ? { gte: seconds(date.between.start), lte: seconds(date.between.end) } : {}),
    };
  }
  if (status?.length) out.status = status;
  if (paymentMethod) out.payment_method = paymentMethod;
  return out;
}

const open = (row) => emit('overlay', { view: 'payment', id: row.payment ?? row.id });

function list() {
  return new Pager(
    (cursor) => ask('GET', 'payments', { ...defaults(), ...(own.status ? { status: [own.status] } : {}), limit: 10, starting_after: cursor }),
    (rows) => table('Payments', [
      ['Date', (row) => [minute(row.created), identifier(row.id)]],
      ['Status', (row) => mark(STATUS, row.status)],
      ['From', from],
      ['Amount', (row) => money(row.amount, row.currency), 'number'],
    ], rows, { open, empty: own.status ? 'No payments with this status.' : 'No payments yet.' }),
  );
}

export function disputeList() {
  return new Pager(
    (cursor) => ask('GET', 'disputes', { limit: 10, starting_after: cursor }),
    (rows) => table('Disputes', [
      ['Date', (row) => [minute(row.created), identifier(row.id)]],
      ['Status', (row) => mark(DISPUTE, row.status)],
      ['From', (row) => row.from ?? 'Unknown'],
      ['Reason', (row) => plain(row.reason)],
      ['Respond by', (row) => (row.allowed.respond ? day(row.due_by) : '–')],
      ['Amount', (row) => money(row.amount, row.currency), 'number'],
    ], rows, { open, empty: 'No disputes.' }),
  );
}

export async function run() {
  const panel = h('div', { role: 'tabpanel', id: 'panel', tabindex: -1 });
  const tabs = [['all', 'All'], ['disputes', 'Disputes']];
  const choose = async (name) => {
    tab = name;
    beacon.send('tab', { tab });
    await run();
    document.getElementById(`tab-${name}`).focus();
  };
  const move = (event) => {
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') choose(tab === 'all' ? 'disputes' : 'all');
  };
  shown = tab === 'all' ? list() : disputeList();
  await shown.show();
  const filter = tab === 'all' ? select('status', 'Status', [['', 'All statuses'], ...Object.entries(STATUS).map(([key, [, text]]) => [key, text])], own.status) : null;
  filter?.addEventListener('change', async (event) => {
    own.status = event.target.value;
    await shown.restart();
  });
  replace(panel, filter ? h('div', { class: 'filters' }, filter) : null, shown.element);
  panel.setAttribute('aria-labelledby', `tab-${tab}`);
  replace(box,
    h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Payments' }, tabs.map(([name, text]) =>
      h('button', { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-selected': String(tab === name), 'aria-controls': 'panel', tabindex: tab === name ? 0 : -1, onclick: () => choose(name), onkeydown: move }, text))),
    panel);
}

// The list on its own, and the disputes of one payment.
export async function runDisputes() {
  shown = disputeList();
  await shown.show();
  replace(box, h('h2', { class: 'heading' }, 'Disputes'), shown.element);
}

export async function runPaymentDisputes() {
  const { payment } = state.props;
  if (!payment) return replace(box);
  const found = await ask('GET', 'disputes', { payment, limit: 100 });
  emit('disputesloaded', { total: found.data.length });
  return replace(box, found.data.length ? [h('h2', { class: 'heading' }, 'Disputes'), h('ul', { class: 'cards' }, found.data.map((row) =>
    h('li', { class: 'card' }, h('p', {}, mark(DISPUTE, row.status), ` ${money(row.amount, row.currency)} · ${plain(row.reason)}`),
      row.allowed.respond ? h('p', { class: 'quiet' }, `Respond by ${day(row.due_by)}`) : null,
      h('button', { type: 'button', class: 'button', onclick: () => emit('overlay', { view: 'payment', id: row.payment }) }, row.allowed.respond ? 'Respond' : 'View'))))] : []);
}
