// Choosing how to pay, and the details of the choice.

import { brandTitle } from '../ui/card.js';
import { h } from '../ui/dom.js';
import { brandMark, icon } from '../ui/icons.js';
import { Address, CHECKOUT } from '../ui/address.js';
import { CardFields } from '../ui/cardfields.js';
import { Field } from '../ui/field.js';

export class Payment {
  constructor(page, words, { country, shipping, changed }) {
    this.words = words;
    this.page = page;
    this.shipping = shipping;
    this.card = new CardFields(words);
    this.holder = new Field({
      name: 'billingName', label: words.say('holder'), visible: true, words,
      check: (value) => (value ? null : words.say('missing')),
      attributes: { placeholder: words.say('fullNameOnCard'), autocomplete: 'cc-name', autocapitalize: 'words' },
    });
    this.holder.element.append(h('div', { role: 'alert' }, this.holder.error));
    const full = page.billing_address_collection === 'required';
    this.billing = new Address({ names: CHECKOUT('billing'), kind: 'billing', words, country, full, onchange: changed });
    this.billingGroup = h('fieldset', { class: 'group' }, h('legend', { class: 'label' }, words.say(full ? 'billing' : 'country')), this.billing.element);
    this.same = null;
    if (shipping) {
      this.same = h('input', { type: 'checkbox', name: 'billingSameAsShipping', id: 'billingSameAsShipping', checked: true });
      this.same.addEventListener('change', () => this.arrange());
    }
    this.fields = h('div', { class: 'method-body', 'data-testid': 'card-form' }, this.card.element, this.holder.element,
      this.same ? h('label', { class: 'choice' }, this.same, h('span', {}, words.say('billingSame'))) : null, this.billingGroup);
    this.error = h('div', { role: 'alert' });
    this.methods = h('div', { class: 'methods' });
    this.element = h('section', { class: 'section', 'data-testid': 'payment-method' }, h('h2', {}, words.say('paymentMethod')), this.methods);
    this.buildMethods(page);
    this.arrange();
  }

  buildMethods(page) {
    const { words } = this;
    const saved = page.payment_methods;
    const rows = saved.map((method) => this.savedRow(method));
    const radio = h('input', { type: 'radio', name: 'paymentMethod', value: 'card', id: 'payment-method-card', checked: saved.length === 0 });
    this.cardRadio = radio;
    const head = h('label', { class: 'method-head', 'data-testid': 'card-accordion-item-button' }, radio,
      icon('card'), h('span', {}, words.say(saved.length ? 'useNewCard' : 'card')),
      h('span', { class: 'marks', 'aria-hidden': 'true' }, ['visa', 'mastercard', 'amex'].map((name) => brandMark(name))));
    this.methods.append(...rows, h('div', { class: 'method', 'data-testid': 'card-accordion-item' }, head, this.fields));
    this.methods.addEventListener('change', (event) => {
      if (event.target.name === 'paymentMethod') this.arrange();
    });
    this.chosen = () => this.methods.querySelector('input[name="paymentMethod"]:checked')?.value ?? 'card';
  }

  savedRow(method) {
    const { words } = this;
    const { brand, last4, exp_month: month, exp_year: year } = method.card;
    return h('div', { class: 'method' },
      h('label', { class: 'method-head', 'data-testid': `saved-${method.id}` },
        h('input', { type: 'radio', name: 'paymentMethod', value: method.id, checked: method === this.page.payment_methods[0] }),
        h('span', {}, words.say('savedCard', { brand: brandTitle(brand), last4 })),
        h('small', { class: 'fine' }, words.say('savedExpires', { month: String(month).padStart(2, '0'), year })),
        h('span', { class: 'marks', 'aria-hidden': 'true' }, brandMark(brand))));
  }

  // A payment of nothing asks for no card.
  needed(page = this.page) {
    if (page.mode === 'payment') return page.amount_total > 0;
    return page.payment_method_collection === 'always' || page.amount_total > 0;
  }

  draw(page) {
    this.page = page;
    this.element.hidden = !this.needed(page);
  }

  arrange() {
    this.fields.hidden = this.chosen() !== 'card';
    this.billingGroup.hidden = Boolean(this.same?.checked);
  }

  newCard() {
    return this.needed() && this.chosen() === 'card';
  }

  validate() {
    if (!this.newCard()) return [];
    return [
      ...this.card.validate(),
      ...(this.holder.validate() ? [] : [this.holder]),
      ...(this.same?.checked ? [] : this.billing.validate()),
    ];
  }

  billingAddress() {
    return this.same?.checked ? this.shipping.read() : this.billing.read();
  }

  // Name and address for the customer's details.
  person() {
    if (!this.newCard()) return {};
    return { name: this.holder.value, address: this.billingAddress() };
  }

  // Parameters of the payment method, or the id of a saved one.
  read(email, phone) {
    if (!this.needed()) return null;
    const chosen = this.chosen();
    if (chosen !== 'card') return { id: chosen };
    return {
      type: 'card',
      card: this.card.read(),
      billing_details: { name: this.holder.value, email: email || undefined, phone: phone || undefined, address: this.billingAddress() },
    };
  }
}
