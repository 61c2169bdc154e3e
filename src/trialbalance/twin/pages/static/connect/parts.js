// Small parts of the components: badges, tables, dialogs, amounts.

import { h, replace, unique } from '../ui/dom.js';
import { icon } from '../ui/icons.js';
import { state } from './state.js';

export const loading = (title) => h('p', { class: 'quiet', role: 'status' }, h('span', { class: 'spinner', 'aria-hidden': 'true' }), ` Loading ${title.toLowerCase()}…`);
export const alertBox = (message) => h('div', { class: 'banner danger', role: 'alert' }, icon('alert'), h('span', {}, message));
export const badge = (kind, text) => h('span', { class: `badge ${kind}` }, text);
export const money = (amount, currency) => state.words.money(amount, currency);
export const day = (seconds) => new Intl.DateTimeFormat(state.words.locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(seconds * 1000);
export const minute = (seconds) => new Intl.DateTimeFormat(state.words.locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(seconds * 1000);
export const plain = (text) => (text ? text[0].toUpperCase() + text.slice(1).replaceAll('_', ' ') : '');
export const identifier = (id) => (state.showIds ? h('code', { class: 'id' }, id) : null);

export const button = (text, onclick, look = '', attributes = {}) => h('button', { type: 'button', class: `button ${look}`, onclick, ...attributes }, text);

const KINDS = { visa: 'Visa', mastercard: 'Mastercard', amex: 'American Express', discover: 'Discover', diners: 'Diners Club', jcb: 'JCB', unionpay: 'UnionPay' };

export function method(found) {
  if (!found) return 'None yet';
  if (found.type === 'stripe_account') return 'Platform';
  const name = found.type === 'card' ? KINDS[found.brand] ?? 'Card' : plain(found.type);
  return found.last4 ? `${name} •••• ${found.last4}` : name;
}

// columns: [title, cell(row), class]; rows open with a click or by the button in their first cell.
export function table(caption, columns, rows, { open, empty }) {
  if (!rows.length) return h('p', { class: 'empty' }, empty);
  return h('div', { class: 'scroller', tabindex: 0, role: 'region', 'aria-label': caption },
    h('table', {}, h('caption', { class: 'visually-hidden' }, caption),
      h('thead', {}, h('tr', {}, columns.map(([title, , look]) => h('th', { scope: 'col', class: look }, title)))),
      h('tbody', {}, rows.map((row) => {
        const cells = columns.map(([, cell, look], i) => h('td', { class: look },
          i === 0 && open ? h('button', { type: 'button', class: 'row-button', onclick: (event) => openRow(event, () => open(row)) }, cell(row)) : cell(row)));
        return h('tr', { 'data-id': row.id, class: open ? 'opens' : '', onclick: open ? (event) => openRow(event, () => open(row)) : () => {} }, cells);
      }))));
}

function openRow(event, act) {
  event.stopPropagation();
  document.querySelectorAll('[data-opened]').forEach((element) => element.removeAttribute('data-opened'));
  event.currentTarget.closest('tr').querySelector('.row-button').setAttribute('data-opened', '');
  act();
}

// A list with pages of ten. load(cursor) answers a list of the API.
export class Pager {
  constructor(load, draw) {
    this.load = load;
    this.draw = draw;
    this.starts = [null];
    this.element = h('div', { class: 'paged' });
  }

  async show() {
    const page = await this.load(this.starts.at(-1));
    const move = async (act) => {
      act();
      await this.show();
      this.element.querySelector('.pager button:not(:disabled)')?.focus();
    };
    replace(this.element, this.draw(page.data), page.has_more || this.starts.length > 1
      ? h('nav', { class: 'pager', 'aria-label': 'Pages' },
        button('Previous', () => move(() => this.starts.pop()), '', { disabled: this.starts.length === 1 }),
        h('span', { class: 'quiet', role: 'status' }, `Page ${this.starts.length}`),
        button('Next', () => move(() => this.starts.push(page.data.at(-1).id)), '', { disabled: !page.has_more }))
      : null);
  }

  restart() {
    this.starts = [null];
    return this.show();
  }
}

export function input(name, label, { value = '', hint, type = 'text', ...attributes } = {}) {
  const id = unique(name);
  const control = h('input', { class: 'control', id, name, type, 'aria-describedby': hint ? `${id}-hint` : null, ...attributes });
  control.value = value ?? '';
  return h('div', { class: 'group' }, h('label', { class: 'label', for: id }, label), control, hint ? h('p', { class: 'quiet', id: `${id}-hint` }, hint) : null);
}

export function select(name, label, options, value) {
  const id = unique(name);
  const control = h('select', { class: 'control', id, name }, options.map(([key, text]) => h('option', { value: key, selected: key === value }, text)));
  return h('div', { class: 'group' }, h('label', { class: 'label', for: id }, label), control);
}

// A form whose work may fail: shows why, and locks itself meanwhile.
export function form(fields, submitText, work, { cancel, danger = false } = {}) {
  const trouble = h('div', { role: 'alert' });
  const send = h('button', { type: 'submit', class: `button ${danger ? 'dangerous' : 'primary'}` }, submitText);
  const element = h('form', { class: 'form', novalidate: true }, fields, trouble,
    h('div', { class: 'actions' }, cancel ? button('Cancel', cancel) : null, send));
  element.addEventListener('submit', async (event) => {
    event.preventDefault();
    replace(trouble);
    send.disabled = true;
    try {
      await work(Object.fromEntries([...new FormData(element)].map(([name, value]) => [name, value.trim()])));
    } catch (problem) {
      replace(trouble, h('p', { class: 'banner danger' }, icon('alert'), h('span', {}, problem.error?.message ?? String(problem.message ?? problem))));
      send.disabled = false;
    }
  });
  return element;
}

// An amount as it is typed, in minor units, or a sentence that says what is wrong with it.
export function amountOf(text, currency) {
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() }).resolvedOptions().maximumFractionDigits;
  const clean = text.replace(/[^0-9.]/g, '');
  if (!/^\d+(\.\d+)?$/.test(clean) || (clean.split('.')[1] ?? '').length > digits) throw new Error(`Enter an amount like ${(1234 / 10 ** digits).toFixed(digits)}.`);
  const [whole, part = ''] = clean.split('.');
  return Number(whole + part.padEnd(digits, '0'));
}

export function typed(amount, currency) {
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() }).resolvedOptions().maximumFractionDigits;
  const text = String(amount).padStart(digits + 1, '0');
  return digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
}

export const pairs = (rows) => h('dl', { class: 'pairs' }, rows.filter(Boolean).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
