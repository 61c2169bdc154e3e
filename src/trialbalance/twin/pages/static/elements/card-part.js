// cardNumber, cardExpiry and cardCvc: one field each. The number's frame reads its sisters, which are of the same site.

import { brandOf, checkCode, checkExpiry, checkNumber, digits, grouped, groupedExpiry, longest, parseExpiry } from '../ui/card.js';
import { h, replace } from '../ui/dom.js';
import { hash } from '../ui/hosts.js';
import { brandMark } from '../ui/icons.js';
import { now } from '../ui/time.js';
import { on } from './channel.js';
import { api, classic, input, refuse, type } from './classic.js';
import { speak, validationError } from './messages.js';

const PARTS = {
  cardNumber: ['cardnumber', 'Credit or debit card number', '1234 1234 1234 1234', 'cc-number'],
  cardExpiry: ['exp-date', 'Credit or debit card expiration date', 'MM / YY', 'cc-exp'],
  cardCvc: ['cvc', 'Credit or debit card CVC/CVV', 'CVC', 'cc-csc'],
};
const [name, label, placeholder, autocomplete] = PARTS[type];
const field = input(name, label, placeholder, { inputmode: 'numeric', autocomplete });
const brand = h('span', { class: 'brand', hidden: true });
const row = h('div', { class: 'row' }, brand, h('span', { class: 'slot slot-number' }, field));

// The fields of this group, wherever they are mounted on the page.
function sister(wanted) {
  for (let i = 0; i < window.parent.length; i += 1) {
    try {
      const found = window.parent[i].stripePart;
      if (found && found.group === hash.group && found.type === wanted) return found;
    } catch {
      // a frame of another site
    }
  }
  return null;
}

const problem = () => {
  if (type === 'cardNumber') return checkNumber(digits(field.value));
  if (type === 'cardExpiry') return checkExpiry(field.value, now());
  return checkCode(digits(field.value), sister('cardNumber')?.brand() ?? brandOf(''));
};

window.stripePart = {
  group: hash.group,
  type,
  problem,
  focus: () => field.focus(),
  brand: () => brandOf(digits(field.value)),
  value: () => (type === 'cardExpiry' ? parseExpiry(field.value) : digits(field.value)),
};

const LABELS = { cardNumber: 'cardNumberLabel', cardExpiry: 'cardExpiryLabel', cardCvc: 'cardCodeLabel' };

const view = classic({
  fields: [field],
  row,
  state(touched) {
    const found = problem();
    const shown = found && field.value && (touched.has(field) || found.startsWith('invalid')) ? validationError(found) : undefined;
    return { error: shown, complete: !found, empty: field.value === '', more: type === 'cardNumber' ? { brand: brandOf(digits(field.value)).name } : {} };
  },
  translate(words) {
    speak(words);
    field.setAttribute('aria-label', words.say(LABELS[type]));
    if (type !== 'cardNumber') field.placeholder = words.say(type === 'cardExpiry' ? 'monthYear' : 'cvc');
  },
  typed() {
    const end = field.selectionStart === field.value.length;
    if (type === 'cardNumber') field.value = grouped(digits(field.value).slice(0, longest(digits(field.value))));
    if (type === 'cardExpiry') field.value = groupedExpiry(field.value, !end ? false : field.value.length > (field.dataset.length ?? 0));
    if (type === 'cardCvc') field.value = digits(field.value).slice(0, 4);
    field.dataset.length = field.value.length;
    if (!brand.hidden) replace(brand, brandMark(brandOf(digits(field.value)).name));
  },
  configure(options) {
    brand.hidden = type !== 'cardNumber' || !options.showIcon;
    if (!brand.hidden) replace(brand, brandMark(brandOf(digits(field.value)).name));
  },
});

function card() {
  for (const wanted of ['cardNumber', 'cardExpiry', 'cardCvc']) {
    const part = wanted === type ? window.stripePart : sister(wanted);
    if (!part) {
      if (wanted === 'cardCvc') continue;
      refuse(validationError('incomplete_expiry'));
    }
    const found = part.problem();
    if (found) {
      part.focus();
      view.look();
      throw { error: validationError(found) };
    }
  }
  const { month, year } = sister('cardExpiry').value();
  return { number: window.stripePart.value(), exp_month: month, exp_year: year, cvc: sister('cardCvc')?.value() };
}

on('createPaymentMethod', ({ billing_details: billing, metadata }) => api.call('POST', '/v1/payment_methods', { type: 'card', card: card(), billing_details: billing, metadata }));
on('createToken', ({ data }) => {
  if (type === 'cardCvc') {
    if (problem()) refuse(validationError('incomplete_cvc'), field);
    return api.call('POST', '/v1/tokens', { cvc_update: { cvc: digits(field.value) } });
  }
  return api.call('POST', '/v1/tokens', { card: { ...card(), ...data } });
});
on('createSource', ({ data }) => api.call('POST', '/v1/sources', { type: 'card', card: card(), ...data }));
