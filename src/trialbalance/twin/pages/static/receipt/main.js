// The receipt of a payment.

import { Api } from '../ui/api.js';
import { brandTitle } from '../ui/card.js';
import { h, replace } from '../ui/dom.js';
import { note } from '../ui/hosts.js';
import { loadWords } from '../ui/language.js';
import { methodOf } from '../ui/methods.js';

const api = new Api({ key: note.key, account: note.account, page: 'receipt' });
const root = document.getElementById('root');
const words = await loadWords('auto');
document.documentElement.lang = words.locale;

try {
  const page = await api.call('GET', `/v1/receipt_pages/${note.token}`);
  const money = (amount) => words.money(amount, page.currency);
  const paidWith = page.card ? words.say('savedCard', { brand: brandTitle(page.card.brand), last4: page.card.last4 }) : methodOf(page.type ?? '').title;
  replace(root, h('main', { class: 'sheet-page' }, h('article', { class: 'sheet narrow', 'data-testid': 'receipt' },
    h('header', { class: 'head' }, h('div', {}, h('h1', {}, words.say('receiptFrom', { merchant: page.account.display_name })), page.receipt_number ? h('p', { class: 'soft' }, page.receipt_number) : null), h('span', { class: 'test-pill' }, words.say('testMode'))),
    h('p', { class: 'big', 'data-testid': 'receipt-amount' }, money(page.amount)),
    page.amount_refunded ? h('p', {}, h('span', { class: 'badge warn' }, words.say('refunded', { amount: money(page.amount_refunded) }))) : null,
    h('dl', { class: 'facts' }, h('dt', {}, words.say('datePaid')), h('dd', {}, words.date(page.created)), h('dt', {}, words.say('paymentMethod')), h('dd', {}, paidWith)),
    h('table', { class: 'lines' }, h('caption', { class: 'visually-hidden' }, words.say('lines')),
      h('tbody', {}, (page.lines.length ? page.lines : [{ description: page.description ?? words.say('payment'), quantity: null, amount_total: page.amount }]).map((line) =>
        h('tr', {}, h('td', {}, line.quantity > 1 ? `${line.description} × ${line.quantity}` : line.description), h('td', { class: 'number' }, money(line.amount_total))))),
      h('tfoot', {}, h('tr', { class: 'total' }, h('td', {}, words.say('amountPaid')), h('td', { class: 'number' }, money(page.amount)))))),
  h('footer', { class: 'foot' }, h('span', {}, words.say('noMoney')))));
} catch {
  replace(root, h('main', { class: 'sheet-page' }, h('div', { class: 'sheet narrow', 'data-testid': 'state-missing' }, h('h1', {}, words.say('missingPage')), h('p', { class: 'soft' }, words.say('missingPageText')))));
}
