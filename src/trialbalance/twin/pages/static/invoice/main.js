// The hosted invoice page: what is asked for, and a form to pay it.

import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { browserCountry, CardForm } from '../ui/cardform.js';
import { localized } from '../ui/errors.js';
import { challenge, instruct, leaving } from '../ui/challenge.js';
import { h, replace } from '../ui/dom.js';
import { note } from '../ui/hosts.js';
import { icon } from '../ui/icons.js';
import { loadWords } from '../ui/language.js';
import { setNow } from '../ui/time.js';

const api = new Api({ key: note.key, account: note.account, page: 'invoice' });
const beacon = new Beacon('invoice', note.invoice);
const root = document.getElementById('root');
const words = await loadWords('auto');
document.documentElement.lang = words.locale;
const BADGES = { paid: 'good', open: 'warn', void: '', uncollectible: 'bad' };
let page;
let form;
let working = false;

const read = async () => {
  page = await api.call('GET', `/v1/invoice_pages/${note.token}`);
  setNow(page.now);
};

function draw() {
  const { currency } = page;
  const row = (label, amount, more = '') => h('tr', { class: more }, h('td', { colspan: 2 }, label), h('td', { class: 'number' }, words.money(amount, currency)));
  const sums = [row(words.say('subtotal'), page.subtotal)];
  for (const discount of page.discounts) sums.push(row(words.say('discount'), -discount.amount));
  if (page.shipping) sums.push(row(words.say('shipping'), page.shipping));
  for (const tax of page.taxes) sums.push(row(words.say('tax'), tax.amount));
  sums.push(row(words.say('total'), page.total, 'total'));
  if (page.amount_paid) sums.push(row(words.say('amountPaid'), -page.amount_paid));
  sums.push(row(words.say('amountDue'), page.amount_remaining, 'total'));
  const due = page.due_date ? words.say('dueOn', { date: words.date(page.due_date) }) : '';
  const payable = page.status === 'open' && page.amount_remaining > 0;
  form = payable ? new CardForm(words, browserCountry()) : null;
  const message = h('div', { role: 'alert', hidden: true });
  const button = h('button', { type: 'submit', class: 'button primary', 'data-testid': 'hosted-invoice-pay-button' }, words.say('payAmount', { amount: words.money(page.amount_remaining, currency) }));
  replace(root, h('main', { class: 'sheet-page' },
    h('article', { class: 'sheet', 'data-testid': 'invoice' },
      h('header', { class: 'head' },
        h('div', {}, h('h1', {}, page.account_name ?? page.account.display_name), h('p', { class: 'soft' }, words.say('invoiceNumber', { number: page.number ?? '—' }))),
        h('span', { class: 'test-pill' }, words.say('testMode'))),
      h('div', {}, h('p', { class: 'big', 'data-testid': 'invoice-amount' }, words.money(payable ? page.amount_remaining : page.total, currency)),
        h('p', { class: 'soft' }, h('span', { class: `badge ${BADGES[page.status] ?? ''}`, 'data-testid': 'invoice-status' }, words.say(`invoice_${page.status}`)), ' ', payable ? due : page.paid_at ? words.date(page.paid_at) : '')),
      h('dl', { class: 'facts' },
        h('dt', {}, words.say('billTo')), h('dd', {}, [page.customer_name, page.customer_email].filter(Boolean).join(' · ') || '—'),
        h('dt', {}, words.say('issued')), h('dd', {}, words.date(page.created)),
        (page.custom_fields ?? []).map((field) => [h('dt', {}, field.name), h('dd', {}, field.value)])),
      page.description ? h('p', {}, page.description) : null,
      h('table', { class: 'lines' }, h('caption', { class: 'visually-hidden' }, words.say('lines')),
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, words.say('item')), h('th', { scope: 'col', class: 'number' }, words.say('quantityShort')), h('th', { scope: 'col', class: 'number' }, words.say('amount')))),
        h('tbody', {}, page.lines.map((line) => h('tr', {}, h('td', {}, line.description ?? ''), h('td', { class: 'number' }, line.quantity ?? ''), h('td', { class: 'number' }, words.money(line.amount, line.currency))))),
        h('tfoot', {}, sums)),
      h('div', { class: 'actions' }, page.invoice_pdf ? h('a', { class: 'button', href: page.invoice_pdf, 'data-testid': 'download-invoice-pdf' }, words.say('downloadInvoice')) : null),
      form ? h('form', { class: 'section', novalidate: true, onsubmit: (event) => { event.preventDefault(); pay(message, button); } }, h('h2', {}, words.say('paymentMethod')), form.element, message, button) : null,
      page.footer ? h('p', { class: 'soft small' }, page.footer) : null),
    h('footer', { class: 'foot' }, h('span', {}, words.say('noMoney')))));
}

async function pay(message, button) {
  if (working) return;
  const wrong = form.validate();
  if (wrong.length) {
    beacon.send('validation', { fields: wrong.map((field) => field.name) });
    return;
  }
  working = true;
  button.disabled = true;
  message.hidden = true;
  beacon.send('submit', { amount: page.amount_remaining, currency: page.currency });
  const { id, client_secret: secret } = page.payment_intent;
  try {
    const method = await api.call('POST', '/v1/payment_methods', form.params());
    const intent = await api.call('POST', `/v1/payment_intents/${id}/confirm`, { client_secret: secret, payment_method: method.id, use_stripe_sdk: true, return_url: location.href });
    await act(intent, secret);
    await beacon.send('complete', {});
    await read();
    draw();
    root.querySelector('h1').scrollIntoView();
  } catch (problem) {
    working = false;
    button.disabled = false;
    const error = localized(problem.error, words) ?? { message: words.say('something') };
    beacon.send('refused', { code: error.code, decline_code: error.decline_code });
    if (error.type === 'card_error' && form.refuse(error)) return;
    message.hidden = false;
    replace(message, h('div', { class: 'banner danger', 'data-testid': 'form-error' }, icon('alert'), h('span', {}, error.message)));
    return;
  }
  working = false;
}

async function act(intent, secret) {
  if (intent.status !== 'requires_action') return;
  const away = leaving(intent.next_action);
  if (away) {
    window.location.assign(away);
    await new Promise(() => {});
  }
  const shown = { object: 'payment_intent', id: intent.id, client_secret: secret, next_action: intent.next_action };
  if (/_display_/.test(intent.next_action.type)) await instruct(shown, api);
  else await challenge(shown, api);
  const after = await api.call('GET', `/v1/payment_intents/${intent.id}`, { client_secret: secret });
  if (after.status === 'requires_payment_method') throw { error: after.last_payment_error };
}

beacon.watch(root);
try {
  await read();
  draw();
  beacon.send('load', { status: page.status });
} catch {
  replace(root, h('main', { class: 'sheet-page' }, h('div', { class: 'sheet narrow', 'data-testid': 'state-missing' }, h('h1', {}, words.say('missingPage')), h('p', { class: 'soft' }, words.say('missingPageText')))));
}
