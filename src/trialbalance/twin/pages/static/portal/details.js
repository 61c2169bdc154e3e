// A new card, and what the customer may change about themselves.

import { Address, CHECKOUT } from '../ui/address.js';
import { browserCountry, CardForm } from '../ui/cardform.js';
import { challenge } from '../ui/challenge.js';
import { h, replace } from '../ui/dom.js';
import { localized } from '../ui/errors.js';
import { Field } from '../ui/field.js';
import { icon } from '../ui/icons.js';
import { namesIn } from '../ui/countries.js';
import { taxTypes } from '../ui/taxids.js';

export function methodView(portal) {
  const { words } = portal;
  const form = new CardForm(words, browserCountry());
  const message = h('div', { role: 'alert', hidden: true });
  const button = h('button', { type: 'submit', class: 'button primary', 'data-testid': 'confirm' }, words.say('add'));
  const save = async (event) => {
    event.preventDefault();
    if (form.validate().length || button.disabled) return;
    button.disabled = true;
    message.hidden = true;
    try {
      const setup = await portal.ask('/setup_intent');
      const method = await portal.api.call('POST', '/v1/payment_methods', form.params());
      const intent = await portal.api.call('POST', `/v1/setup_intents/${setup.id}/confirm`, { client_secret: setup.client_secret, payment_method: method.id, use_stripe_sdk: true });
      if (intent.status === 'requires_action') {
        await challenge({ object: 'setup_intent', id: setup.id, client_secret: setup.client_secret, next_action: intent.next_action }, portal.api);
        const after = await portal.api.call('GET', `/v1/setup_intents/${setup.id}`, { client_secret: setup.client_secret });
        if (after.status !== 'succeeded') throw { error: after.last_setup_error };
      }
      await portal.ask('/default_method', { payment_method: method.id });
      await portal.beacon.send('add_method', {});
      portal.finish();
    } catch (problem) {
      button.disabled = false;
      const error = localized(problem.error, words) ?? { message: words.say('something') };
      portal.beacon.send('refused', { event: 'add_method', code: error.code });
      if (error.type === 'card_error' && form.refuse(error)) return;
      message.hidden = false;
      replace(message, h('div', { class: 'banner danger', 'data-testid': 'form-error' }, icon('alert'), h('span', {}, error.message)));
    }
  };
  return h('form', { class: 'section', novalidate: true, onsubmit: save, 'data-testid': 'add-method' }, h('h1', { tabindex: -1 }, words.say('addMethod')), form.element, message,
    h('div', { class: 'actions' }, button, h('button', { type: 'button', class: 'button', onclick: () => portal.finish() }, words.say('goBack'))));
}

export function customerView(portal) {
  const { page, words } = portal;
  const allowed = page.features.customer_update.allowed_updates;
  const { customer } = page;
  const make = (name, key, attributes = {}, check = () => null) => new Field({ name, label: words.say(key), visible: true, words, check, attributes: { value: customer[name] ?? '', ...attributes } });
  const fields = {};
  if (allowed.includes('name')) fields.name = make('name', 'fullName', { autocomplete: 'name' });
  if (allowed.includes('email')) fields.email = make('email', 'email', { type: 'email', autocomplete: 'email' }, (value) => (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? null : words.say('invalidEmail')));
  if (allowed.includes('phone')) fields.phone = make('phone', 'phone', { type: 'tel', autocomplete: 'tel' });
  const address = allowed.includes('address') ? new Address({ names: CHECKOUT('billing'), kind: 'billing', words, country: customer.address?.country ?? browserCountry(), full: true }) : null;
  if (customer.address) address?.fill(customer.address);
  const shipping = allowed.includes('shipping') ? new Address({ names: CHECKOUT('shipping'), kind: 'shipping', words, country: customer.shipping?.address?.country ?? browserCountry(), full: true, named: true }) : null;
  if (customer.shipping) shipping?.fill(customer.shipping.address);
  if (shipping && customer.shipping?.name) shipping.name.value = customer.shipping.name;
  const tax = allowed.includes('tax_id') ? taxNumber(portal) : null;
  const message = h('div', { hidden: true });
  const save = (event) => {
    event.preventDefault();
    const wrong = [...Object.values(fields).filter((field) => !field.validate()), ...(address?.read().line1 ? address.validate() : []), ...(shipping?.read().line1 ? shipping.validate() : []), ...(tax?.number.value && !tax.number.validate() ? [tax.number] : [])];
    if (wrong.length) {
      wrong[0].focus();
      return;
    }
    const params = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
    if (address?.read().line1) params.address = address.read();
    if (shipping?.read().line1) params.shipping = { name: shipping.name.value, address: shipping.read() };
    if (tax?.number.value) params.tax_id = tax.read();
    portal.change('customer_update', '/customer', params, () => portal.finish(), message);
  };
  return h('form', { class: 'section', novalidate: true, onsubmit: save, 'data-testid': 'customer' }, h('h1', { tabindex: -1 }, words.say('billingInformation')),
    Object.values(fields).map((field) => {
      field.element.append(h('div', { role: 'alert' }, field.error));
      return field.element;
    }),
    address ? h('fieldset', { class: 'group' }, h('legend', { class: 'label' }, words.say('address')), address.element) : null,
    shipping ? h('fieldset', { class: 'group' }, h('legend', { class: 'label' }, words.say('shippingAddress')), shipping.element) : null, tax?.element ?? null, message,
    h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'button primary', 'data-testid': 'confirm' }, words.say('save')), h('button', { type: 'button', class: 'button', onclick: () => portal.finish() }, words.say('goBack'))));
}

// A tax number to add, with the country that gave it.
function taxNumber({ words }) {
  const country = new Field({ name: 'taxIdCountry', label: words.say('country'), visible: true, words, options: namesIn(words.locale, Object.keys(taxTypes)) });
  country.value = taxTypes[browserCountry()] ? browserCountry() : 'DE';
  const number = new Field({
    name: 'taxId', label: words.say('taxNumber'), visible: true, words,
    check: (value) => (taxTypes[country.value].pattern.test(value.replace(/\s/g, '')) ? null : words.say('invalidTaxId')),
  });
  number.element.append(h('div', { role: 'alert' }, number.error));
  return {
    number,
    element: h('fieldset', { class: 'group' }, h('legend', { class: 'label' }, words.say('taxNumber')), country.element, number.element),
    read: () => ({ type: taxTypes[country.value].type, value: number.value.replace(/\s/g, '') }),
  };
}
