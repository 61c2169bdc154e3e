// The sheet of the test wallet: a saved person with a card, an address to choose, a rate to choose, and Pay.

import { h, replace } from '../ui/dom.js';
import { setNow } from '../ui/time.js';
import { emit, on } from './channel.js';
import { api, modern } from './modern.js';

const PERSON = { name: 'Test Wallet', email: 'wallet@example.test', phone: '+12015550123' };
const ADDRESSES = [
  { city: 'Springfield', country: 'US', line1: '1 Field Lane', line2: null, postal_code: '62701', state: 'IL' },
  { city: 'Berlin', country: 'DE', line1: 'Ackerweg 3', line2: null, postal_code: '10115', state: '' },
  { city: 'Leeds', country: 'GB', line1: '4 Mill Row', line2: null, postal_code: 'LS1 4AP', state: '' },
];
const CARD = { number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };
let view;

const state = modern({
  quiet: true,
  async build({ options, group, words }) {
    const allowed = options.allowedShippingCountries;
    const addresses = options.shippingAddressRequired ? ADDRESSES.filter((a) => !allowed || allowed.includes(a.country)) : [];
    const session = await api.call('GET', '/v1/elements/sessions', { locale: group.locale, type: 'deferred_intent', deferred_intent: { mode: 'setup' } }).catch(() => null);
    if (session) setNow(session.now);
    view = {
      options, words, addresses, address: addresses[0] ?? null, rates: options.shippingRates ?? [], rate: options.shippingRates?.[0] ?? null,
      items: options.lineItems ?? [], amount: group.elements?.amount ?? null, currency: group.elements?.currency ?? 'usd', busy: false, message: null, ask: 0, box: h('div', { class: 'payment' }),
    };
    draw();
    return view.box;
  },
});

function draw() {
  const { words } = view;
  const pick = (name, list, chosen, text, act) => h('div', { class: 'group', role: 'radiogroup', 'aria-label': name }, h('span', { class: 'Label' }, name), list.map((item, i) =>
    h('label', { class: 'choice' }, h('input', { type: 'radio', name: name.replace(/\W/g, ''), checked: item === chosen, disabled: view.busy, onchange: () => act(list[i]) }), h('span', {}, text(item)))));
  replace(view.box,
    h('h1', { class: 'Label' }, view.options.business?.name ?? 'Test wallet'),
    view.items.map((item) => h('div', { class: 'note' }, h('span', {}, item.name), h('span', {}, words.money(item.amount, view.currency)))),
    view.addresses.length ? pick(words.say('shippingAddress'), view.addresses, view.address, (a) => `${a.line1}, ${a.city}, ${a.country}`, chooseAddress) : null,
    view.rates.length ? pick(words.say('shippingMethod'), view.rates, view.rate, (r) => `${r.displayName} · ${r.amount ? words.money(r.amount, view.currency) : words.say('free')}`, chooseRate) : null,
    view.amount !== null ? h('p', { class: 'Label', 'data-testid': 'wallet-total' }, `${words.say('total')}: ${words.money(view.amount, view.currency)}`) : null,
    view.message ? h('p', { class: 'problem', role: 'alert' }, view.message) : null,
    h('button', { type: 'button', class: 'button primary', 'data-testid': 'wallet-pay', disabled: view.busy, onclick: pay }, words.say('pay')),
    h('button', { type: 'button', class: 'button', 'data-testid': 'wallet-cancel', onclick: () => setTimeout(() => emit('cancel', {}), 100) }, words.say('cancel')));
}

function askPage(type, payload) {
  view.busy = true;
  view.ask += 1;
  draw();
  emit(type, { ask: view.ask, ...payload });
}

function chooseAddress(address) {
  view.address = address;
  const { city, country, postal_code: postal, state: region } = address;
  askPage('shippingaddresschange', { name: PERSON.name, address: { city, country, postal_code: postal, state: region } });
}

function chooseRate(rate) {
  view.rate = rate;
  askPage('shippingratechange', { shippingRate: rate });
}

on('changed', ({ update, rejected, amount }) => {
  view.busy = false;
  view.message = rejected ? view.words.say('something') : null;
  if (update?.shippingRates) {
    view.rates = update.shippingRates;
    [view.rate] = view.rates;
  }
  if (update?.lineItems) view.items = update.lineItems;
  if (amount !== undefined) view.amount = amount;
  draw();
});
on('amount', ({ amount }) => {
  view.amount = amount;
  draw();
});
on('failed', ({ message }) => {
  view.busy = false;
  view.message = message ?? view.words.say('something');
  draw();
});

function pay() {
  const { options } = view;
  view.busy = true;
  draw();
  emit('confirm', {
    event: {
      billingDetails: { name: PERSON.name, email: options.emailRequired ? PERSON.email : undefined, phone: options.phoneNumberRequired ? PERSON.phone : undefined, address: options.billingAddressRequired === false ? undefined : ADDRESSES[0] },
      shippingAddress: view.address ? { name: PERSON.name, address: view.address } : undefined,
      shippingRate: view.rate ?? undefined,
    },
  });
}

const described = (billing) => ({ type: 'card', card: CARD, billing_details: { name: PERSON.name, email: PERSON.email, address: { country: 'US', postal_code: '62701' }, ...billing } });
on('submitElements', () => ({ selectedPaymentMethod: 'card' }));
on('createPaymentMethod', async ({ billing_details: billing }) => {
  const made = await api.call('POST', '/v1/payment_methods', described(billing));
  return { ...made, shipping: view.address ? { name: PERSON.name, address: Object.fromEntries(Object.entries(view.address).filter(([, v]) => v)) } : undefined, _element: {} };
});
on('createConfirmationToken', ({ params }) => {
  const shipping = view.address ? { name: PERSON.name, address: Object.fromEntries(Object.entries(view.address).filter(([, v]) => v)) } : undefined;
  return api.call('POST', '/v1/confirmation_tokens', { return_url: params?.return_url, shipping, payment_method_data: described(params?.payment_method_data?.billing_details) });
});
void state;
