// idealBank, epsBank, p24Bank and fpxBank: a list of banks, opened by a click or the arrow keys.

import { h } from '../ui/dom.js';
import { icon } from '../ui/icons.js';
import { bankName, methodOf } from '../ui/methods.js';
import { emit, on } from './channel.js';
import { api, classic, refuse, type } from './classic.js';
import { say, speak } from './messages.js';

const kind = { idealBank: 'ideal', epsBank: 'eps', p24Bank: 'p24', fpxBank: 'fpx' }[type];
const banks = methodOf(kind).banks;
let chosen = '';
const shown = h('span', { id: 'bank-list-value' }, say('selectBank'));
const list = h('ul', { class: 'SelectList', role: 'listbox', id: 'bank-list', hidden: true, tabindex: -1 }, banks.map((code) =>
  h('li', { class: 'SelectListItem', role: 'option', dataset: { value: code }, tabindex: -1 }, h('span', { class: 'SelectListItem-text' }, bankName(code)))));
const button = h('button', { type: 'button', class: 'field select', 'aria-haspopup': 'listbox', 'aria-expanded': 'false', 'aria-controls': 'bank-list', 'aria-label': 'Bank' }, shown, icon('chevron'));
Object.defineProperty(button, 'value', { get: () => chosen, set: (value) => choose(value) });
const row = h('div', { class: 'bank-list' }, button, list);

function open(yes) {
  list.hidden = !yes;
  button.setAttribute('aria-expanded', String(yes));
  if (yes) (list.querySelector('[aria-selected="true"]') ?? list.firstChild).focus();
}

function choose(code) {
  chosen = code;
  shown.textContent = code ? bankName(code) : say('selectBank');
  for (const item of list.children) item.setAttribute('aria-selected', String(item.dataset.value === code));
  open(false);
  button.dispatchEvent(new Event('change'));
}

button.addEventListener('click', () => open(list.hidden));
button.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') {
    event.preventDefault();
    open(true);
  }
});
list.addEventListener('click', (event) => {
  const item = event.target.closest('.SelectListItem');
  if (item) {
    choose(item.dataset.value);
    button.focus();
  }
});
list.addEventListener('keydown', (event) => {
  const items = [...list.children];
  const at = items.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    items[(at + step + items.length) % items.length].focus();
  }
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    choose(items[at].dataset.value);
    button.focus();
  }
  if (event.key === 'Escape') {
    open(false);
    button.focus();
    emit('escape');
  }
});

classic({
  fields: [button],
  row,
  translate(words) {
    speak(words);
    button.setAttribute('aria-label', say('bank'));
    if (!chosen) shown.textContent = say('selectBank');
  },
  state: () => ({ error: undefined, complete: chosen !== '', empty: chosen === '', more: { value: chosen } }),
  configure(options) {
    if (options.value && !chosen) choose(options.value);
  },
});

on('createPaymentMethod', ({ billing_details: billing, metadata }) => {
  if (!chosen) refuse({ type: 'validation_error', code: 'incomplete_bank', message: say('selectBank') }, button);
  return api.call('POST', '/v1/payment_methods', { type: kind, [kind]: { bank: chosen }, billing_details: billing, metadata });
});
on('createSource', ({ data }) => api.call('POST', '/v1/sources', { type: kind, [kind]: { bank: chosen }, ...data }));
