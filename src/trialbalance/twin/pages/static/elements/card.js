// The classic Card Element: number, date, code and postal code in one line.

import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import {
  brandOf, checkCode, checkExpiry, checkNumber, digits, grouped, groupedExpiry, longest, parseExpiry,
} from '../ui/card.js';
import { h, replace } from '../ui/dom.js';
import { hash } from '../ui/hosts.js';
import { brandMark } from '../ui/icons.js';
import { loadWords } from '../ui/language.js';
import { now } from '../ui/time.js';
import { emit, on, ready, reportHeight } from './channel.js';
import { speak, validationError } from './messages.js';
import { applyStyle } from './style.js';

const api = new Api({ key: hash.apiKey, account: hash.account, version: hash.version, page: 'elements' });
const beacon = new Beacon('elements');
const state = { options: {}, touched: new Set(), last: '' };

const field = (name, label, placeholder, attributes) =>
  h('input', {
    class: 'field is-empty', name, 'aria-label': label, placeholder, inputmode: 'numeric', autocorrect: 'off',
    autocapitalize: 'off', spellcheck: 'false', type: 'text', 'aria-invalid': 'false', ...attributes,
  });

const number = field('cardnumber', 'Credit or debit card number', 'Card number', { autocomplete: 'cc-number' });
const expiry = field('exp-date', 'Credit or debit card expiration date', 'MM / YY', { autocomplete: 'cc-exp' });
const code = field('cvc', 'Credit or debit card CVC/CVV', 'CVC', { autocomplete: 'cc-csc' });
const postal = field('postal', 'ZIP', 'ZIP', { autocomplete: 'postal-code', inputmode: 'text' });
const brand = h('span', { class: 'brand' });
const fields = [number, expiry, code, postal];
const slot = (name, input) => h('span', { class: `slot slot-${name}` }, input);
const postalSlot = slot('postal', postal);
const row = h('div', { class: 'row' }, brand, slot('number', number), slot('expiry', expiry), slot('cvc', code), postalSlot);
const form = h('form', { autocomplete: 'on', onsubmit: (event) => event.preventDefault() }, row);

function read() {
  const plain = digits(number.value);
  const date = parseExpiry(expiry.value);
  return {
    number: plain, brand: brandOf(plain), month: date.month, year: date.year, code: digits(code.value),
    postal: postal.value.trim(),
  };
}

const usesPostal = () => !state.options.hidePostalCode;

// The first thing that is wrong; `all` also counts what was not yet filled in.
function problem(all) {
  const card = read();
  const checks = [
    [number, checkNumber(card.number)],
    [expiry, checkExpiry(expiry.value, now())],
    [code, checkCode(card.code, card.brand)],
    [postal, usesPostal() && card.postal.length < 3 ? 'incomplete_zip' : null],
  ];
  for (const [input, found] of checks) {
    if (found && (all || (input.value && (state.touched.has(input) || found.startsWith('invalid'))))) return [input, found];
  }
  return [null, null];
}

function look() {
  const card = read();
  const complete = problem(true)[1] === null;
  const [wrong, found] = problem(false);
  for (const input of fields) {
    input.classList.toggle('is-empty', input.value === '');
    input.classList.toggle('is-invalid', input === wrong);
    input.classList.toggle('is-complete', complete);
    input.setAttribute('aria-invalid', String(input === wrong));
  }
  if (state.brand !== card.brand.name) {
    state.brand = card.brand.name;
    replace(brand, state.options.hideIcon ? [] : brandMark(card.brand.name));
  }
  const change = {
    elementType: 'card',
    brand: card.brand.name,
    complete,
    empty: fields.every((input) => input.value === ''),
    error: found ? validationError(found) : undefined,
    value: { postalCode: card.postal },
  };
  const text = JSON.stringify(change);
  if (text !== state.last) {
    state.last = text;
    emit('change', change);
  }
}

// Puts a formatted text into a field and keeps the caret where the customer had it.
function rewrite(input, format) {
  const before = digits(input.value.slice(0, input.selectionStart ?? input.value.length)).length;
  const atEnd = (input.selectionStart ?? 0) === input.value.length;
  input.value = format(input.value);
  if (document.activeElement !== input || atEnd) return;
  let position = 0;
  for (let seen = 0; position < input.value.length && seen < before; position += 1) {
    if (/\d/.test(input.value[position])) seen += 1;
  }
  input.setSelectionRange(position, position);
}

function advance(from, to) {
  if (document.activeElement === from && from.selectionStart === from.value.length) to.focus();
}

number.addEventListener('input', () => {
  rewrite(number, (text) => grouped(digits(text).slice(0, longest(digits(text)))));
  const plain = digits(number.value);
  if (plain.length >= longest(plain) && !checkNumber(plain)) advance(number, expiry);
  look();
});
expiry.addEventListener('input', (event) => {
  const adding = !event.inputType?.startsWith('delete');
  rewrite(expiry, (text) => groupedExpiry(text, adding));
  if (!checkExpiry(expiry.value, now())) advance(expiry, code);
  look();
});
code.addEventListener('input', () => {
  rewrite(code, (text) => digits(text).slice(0, 4));
  if (!checkCode(digits(code.value), read().brand) && usesPostal() && read().brand.name !== 'unknown') advance(code, postal);
  look();
});
postal.addEventListener('input', () => {
  postal.value = postal.value.slice(0, 12);
  look();
});

for (const [position, input] of fields.entries()) {
  input.addEventListener('blur', () => {
    state.touched.add(input);
    if (input.value) beacon.send('edit', { element: 'card', field: input.name, complete: problem(true)[0] !== input });
    look();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') emit('escape');
    if (event.key === 'Backspace' && input.value === '' && position > 0) {
      event.preventDefault();
      fields[position - 1].focus();
    }
    if (event.key === 'Enter') emit('submit');
  });
}
let focused = false;
form.addEventListener('focusin', () => {
  if (!focused) emit('focus', { elementType: 'card' });
  focused = true;
});
form.addEventListener('focusout', () => {
  setTimeout(() => {
    if (!focused || form.contains(document.activeElement)) return;
    focused = false;
    emit('blur', { elementType: 'card' });
  });
});

function details(billing = {}) {
  const card = read();
  const address = { ...(billing.address ?? {}) };
  if (usesPostal() && card.postal && !address.postal_code) address.postal_code = card.postal;
  return {
    card: { number: card.number, exp_month: card.month, exp_year: card.year, cvc: card.code },
    billing: { ...billing, ...(Object.keys(address).length ? { address } : {}) },
  };
}

function refuseIncomplete() {
  const [input, found] = problem(true);
  if (!found) return;
  state.touched.add(input);
  input.focus();
  look();
  beacon.send('validation', { element: 'card', fields: [input.name] });
  throw { error: validationError(found) };
}

on('init', async ({ options, locale }) => {
  state.options = options;
  translate(await loadWords(locale ?? 'auto'));
  applyStyle(options.style);
  if (options.value?.postalCode) postal.value = String(options.value.postalCode);
  configure();
  emit('ready');
  beacon.send('load', { element: 'card' });
});

// Labels and placeholders in the page's language.
function translate(words) {
  speak(words);
  const zip = words.say(words.language === 'en' ? 'zip' : 'postal');
  const texts = [[number, 'cardNumberLabel', words.say('cardNumber')], [expiry, 'cardExpiryLabel', words.say('monthYear')], [code, 'cardCodeLabel', words.say('cvc')], [postal, null, zip]];
  for (const [input, label, placeholder] of texts) {
    input.setAttribute('aria-label', label ? words.say(label) : zip);
    input.placeholder = placeholder;
  }
}

function configure() {
  postalSlot.hidden = !usesPostal();
  brand.hidden = Boolean(state.options.hideIcon);
  for (const input of fields) input.disabled = Boolean(state.options.disabled);
  state.brand = null;
  look();
}

on('update', ({ options }) => {
  Object.assign(state.options, options);
  if (options.style) applyStyle(state.options.style);
  if (options.value?.postalCode !== undefined) postal.value = String(options.value.postalCode);
  configure();
});
on('focus', () => (fields.find((input) => !input.value) ?? number).focus());
on('blur', () => document.activeElement?.blur());
on('clear', () => {
  for (const input of fields) input.value = '';
  state.touched.clear();
  look();
});
on('createPaymentMethod', async ({ billing_details: billing, metadata, extra }) => {
  refuseIncomplete();
  const { card, billing: merged } = details(billing);
  return api.call('POST', '/v1/payment_methods', { type: 'card', card, billing_details: merged, metadata, ...extra });
});
on('createToken', async ({ data }) => {
  refuseIncomplete();
  const { card } = details();
  const zip = usesPostal() ? read().postal : undefined;
  return api.call('POST', '/v1/tokens', { card: { ...card, address_zip: zip || undefined, ...data } });
});
on('createSource', async ({ data }) => {
  refuseIncomplete();
  return api.call('POST', '/v1/sources', { type: 'card', card: details().card, ...data });
});

replace(document.getElementById('root'), form);
reportHeight(row);
ready();
