// How it is paid: contact, shipping, payment, consent, and the button.

import { h, replace } from '../ui/dom.js';
import { icon } from '../ui/icons.js';
import { Address, CHECKOUT } from '../ui/address.js';
import { Extras } from './extras.js';
import { Field } from '../ui/field.js';
import { Payment } from './payment.js';
import { rich } from '../ui/rich.js';
import { interval } from './summary.js';
import { TaxIds } from './taxids.js';

export class Form {
  // act: {changed(), shippingRate(id), removeMethod(id), submit()}
  constructor(page, words, act, country, api) {
    this.words = words;
    this.act = act;
    this.page = page;
    this.contact(page);
    this.shippingPart(page, country);
    this.payment = new Payment(page, words, { country, shipping: this.shipping, changed: () => this.changed(), api });
    this.payment.remove = (method) => act.removeMethod(method.id);
    this.taxes = page.tax_id_collection?.enabled ? new TaxIds(page, words, () => this.changed()) : null;
    this.knowEmail(page.customer_details?.email);
    this.extras = new Extras(page, words);
    this.message = h('div', { role: 'alert', class: 'section', hidden: true });
    this.button = h('button', { class: 'button primary SubmitButton', type: 'submit', 'data-testid': 'hosted-payment-submit-button' });
    this.fine = h('p', { class: 'fine' });
    this.element = h('form', { class: 'form', novalidate: true, autocomplete: 'on', 'aria-label': words.say('paymentDetails') },
      this.contactSection, this.shippingSection, this.ratesSection, this.extras.fields, this.payment.element, this.taxes?.element,
      this.extras.consent, this.extras.submitText,
      h('div', { class: 'section' }, this.message, this.button, this.extras.afterSubmit, this.fine));
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      act.submit();
    });
    this.draw(page);
  }

  contact(page) {
    const { words } = this;
    const email = page.customer_details?.email;
    this.email = null;
    let shown;
    if (!page.can_change_email && email) shown = h('p', { class: 'fixed' }, h('b', {}, words.say('email')), h('span', {}, email));
    else {
      this.email = new Field({
        name: 'email', label: words.say('email'), visible: true, words,
        check: (value) => (!value ? words.say('missing') : /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? null : words.say('invalidEmail')),
        attributes: { type: 'email', placeholder: 'email@example.com', autocomplete: 'email', inputmode: 'email', value: email ?? '' },
      });
      this.email.control.addEventListener('change', () => this.knowEmail(this.email.value));
      shown = withError(this.email);
    }
    this.phone = null;
    if (page.phone_number_collection?.enabled) {
      this.phone = new Field({
        name: 'phoneNumber', label: words.say('phone'), visible: true, words,
        check: (value) => (value.replace(/\D/g, '').length >= 6 ? null : words.say(value ? 'invalidPhone' : 'missing')),
        attributes: { type: 'tel', autocomplete: 'tel', inputmode: 'tel', placeholder: '(201) 555-0123' },
      });
    }
    this.contactSection = h('section', { class: 'section' }, h('h2', {}, words.say('contact')), shown, this.phone ? withError(this.phone) : null);
  }

  // A known address may have a wallet.
  knowEmail(email) {
    const right = /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email ?? '');
    if (right && this.payment.wallet.email !== email) this.payment.wallet.enter(email);
  }

  shippingPart(page, country) {
    const { words } = this;
    const collection = page.shipping_address_collection;
    this.shipping = null;
    this.shippingSection = null;
    if (collection) {
      const known = page.collected_information?.shipping_details;
      const start = collection.allowed_countries.includes(country) ? country : collection.allowed_countries[0];
      this.shipping = new Address({
        names: CHECKOUT('shipping'), kind: 'shipping', words, countries: collection.allowed_countries, country: known?.address.country ?? start, full: true, named: true,
        onchange: () => this.changed(),
      });
      if (known) {
        this.shipping.fill(known.address);
        this.shipping.name.value = known.name;
      }
      const text = page.custom_text?.shipping_address?.message;
      this.shippingSection = h('section', { class: 'section', 'data-testid': 'shipping-address' }, h('h2', {}, words.say('shippingAddress')), this.shipping.element, text ? h('p', { class: 'fine left', 'data-testid': 'text-shipping' }, rich(text)) : null);
    }
    this.rates = h('div', { class: 'rates', role: 'radiogroup', 'aria-label': words.say('shippingMethod') });
    this.ratesSection = h('section', { class: 'section', 'data-testid': 'shipping-rates' }, h('h2', {}, words.say('shippingMethod')), this.rates);
  }

  draw(page) {
    const { words } = this;
    this.page = page;
    this.ratesSection.hidden = page.shipping_options.length === 0;
    const focused = document.activeElement?.name === 'shippingRate';
    replace(this.rates, page.shipping_options.map((rate) => this.rate(rate, page)));
    if (focused) this.rates.querySelector('input:checked')?.focus();
    this.payment.draw(page);
    this.label(this.state);
    replace(this.fine, this.terms(page));
    this.fine.hidden = !this.fine.textContent;
  }

  rate(rate, page) {
    const { words } = this;
    const low = rate.delivery_estimate?.minimum;
    const high = rate.delivery_estimate?.maximum;
    const unit = (high ?? low)?.unit;
    const long = (part) => span(part.value, part.unit, words);
    let when = unit ? long(high ?? low) : null;
    if (low && high && low.unit !== high.unit) when = `${long(low)} – ${long(high)}`;
    else if (low && high && low.value !== high.value) when = words.say('shippingDays', { low: low.value, high: high.value, unit: words.say(`unit_${unit}`) });
    return h('label', { class: 'rate' },
      h('input', { type: 'radio', name: 'shippingRate', value: rate.id, checked: rate.selected, onchange: () => this.act.shippingRate(rate.id) }),
      h('span', { class: 'what' }, rate.display_name, when ? h('small', {}, when) : null),
      h('span', { class: 'cost' }, rate.amount ? words.money(rate.amount, page.currency) : words.say('free')));
  }

  terms(page) {
    const { words } = this;
    const merchant = page.account.display_name;
    if (page.consent_collection?.payment_method_reuse_agreement?.position === 'hidden') return '';
    if (page.mode === 'setup') return words.say('setupTerms', { merchant });
    if (page.subscription) return words.say('subscriptionTerms', { merchant, interval: interval(page.subscription, words) });
    return page.reuse ? words.say('cardTerms', { merchant }) : '';
  }

  label(state = 'ready') {
    const { words, page } = this;
    this.state = state;
    const text = { working: words.say('processing'), done: words.say('success') }[state] ?? submitLabel(page, words);
    if (this.shown === `${state} ${text}`) return;
    this.shown = `${state} ${text}`;
    this.button.disabled = state !== 'ready';
    this.button.classList.toggle('SubmitButton--processing', state === 'working');
    this.button.classList.toggle('SubmitButton--success', state === 'done');
    replace(this.button, state === 'working' ? h('span', { class: 'spinner', 'aria-hidden': 'true' }) : state === 'done' ? icon('check') : null,
      h('span', { class: 'SubmitButton-Text' }, text));
  }

  changed() {
    this.act.changed();
  }

  // Marks what is missing and answers with it, in the page's order.
  validate() {
    const wrong = [
      ...[this.email, this.phone].filter((field) => field && !field.validate()),
      ...(this.shipping?.validate() ?? []),
      ...this.extras.validateFields(),
      ...this.payment.validate(),
      ...(this.taxes?.validate() ?? []),
      ...this.extras.validateConsent(),
    ];
    return wrong;
  }

  tell(text) {
    this.message.hidden = !text;
    replace(this.message, text ? h('div', { class: 'banner danger', 'data-testid': 'form-error' }, icon('alert'), h('span', {}, text)) : []);
  }

  // What the customer filled in, as the API takes it.
  read() {
    const details = { ...this.payment.person() };
    if (this.email) details.email = this.email.value;
    if (this.phone) details.phone = this.phone.value;
    Object.assign(details, this.extras.names());
    Object.assign(details, this.taxes?.read());
    const out = { customer_details: details, ...this.extras.read() };
    if (this.shipping && this.page.permissions?.update_shipping_details !== 'server_only') out.shipping = this.shippingDetails();
    return out;
  }

  shippingDetails() {
    return { name: this.shipping.name.value, address: this.shipping.read() };
  }
}

function span(value, unit, words) {
  return value === 1 ? words.say(`one_${unit}`) : `${value} ${words.say(`unit_${unit}`)}`;
}

export function submitLabel(page, words) {
  if (page.mode === 'setup') return words.say('setup');
  if (page.subscription) return words.say(page.subscription.trial_days ? 'trialStart' : 'subscribe');
  if (page.submit_type === 'donate') return words.say('donate');
  if (page.submit_type === 'book') return words.say('book');
  if (page.submit_type === 'subscribe') return words.say('subscribe');
  return words.say('pay');
}

export function withError(field) {
  field.element.append(h('div', { role: 'alert' }, field.error));
  return field.element;
}
