// Choosing how to pay, and the details of the choice: saved cards, a wallet, a new card, other methods.

import { Address, CHECKOUT } from '../ui/address.js';
import { brandTitle } from '../ui/card.js';
import { CardFields } from '../ui/cardfields.js';
import { h, replace } from '../ui/dom.js';
import { Field } from '../ui/field.js';
import { brandMark, icon } from '../ui/icons.js';
import { methodOf } from '../ui/methods.js';
import { OtherFields } from '../ui/otherfields.js';
import { Wallet } from '../ui/wallet.js';

export class Payment {
  // shipping: the shipping address, where one is asked for; changed() after changes that taxes may depend on
  constructor(page, words, { country, shipping, changed, api }) {
    Object.assign(this, { page, words, shipping, country, api });
    this.wallet = new Wallet({
      api, words, allowed: page.link.enabled, changed: () => this.arrange(), email: '', asks: false, box: 'enableStripePass', merchant: page.account.display_name,
    });
    this.wallet.redraw = () => this.arrange();
    this.cardPart(page, country, changed);
    this.others = new Map(page.payment_method_types.filter((type) => !['card', 'link'].includes(type)).map((type) => {
      const fields = new OtherFields(methodOf(type), words, { country, skip: ['email'], id: (name) => `${type}-${name}`, mandate: page.account.display_name });
      return [type, fields];
    }));
    this.methods = h('div', { class: 'methods', role: 'radiogroup', 'aria-label': words.say('paymentMethod') });
    this.element = h('section', { class: 'section', 'data-testid': 'payment-method' }, h('h2', {}, words.say('paymentMethod')), this.wallet.element, this.methods);
    this.buildMethods(page);
    this.arrange();
  }

  cardPart(page, country, changed) {
    const { words, shipping } = this;
    this.card = new CardFields(words);
    this.holder = new Field({
      name: 'billingName', label: words.say('holder'), visible: true, words,
      check: (value) => (value ? null : words.say('missing')),
      attributes: { placeholder: words.say('fullNameOnCard'), autocomplete: 'cc-name', autocapitalize: 'words' },
    });
    this.holder.element.append(h('div', { role: 'alert' }, this.holder.error));
    const full = page.billing_address_collection === 'required' || page.automatic_tax.enabled;
    this.billing = new Address({ names: CHECKOUT('billing'), kind: 'billing', words, country, full, onchange: changed });
    this.billingGroup = h('fieldset', { class: 'group' }, h('legend', { class: 'label' }, words.say(full ? 'billing' : 'country')), this.billing.element);
    this.same = null;
    if (shipping) {
      this.same = h('input', { type: 'checkbox', name: 'billingSameAsShipping', id: 'billingSameAsShipping', checked: true });
      this.same.addEventListener('change', () => this.arrange());
    }
    const saving = page.saved_payment_method_options?.payment_method_save === 'enabled' && page.mode === 'payment';
    this.keep = saving ? h('input', { type: 'checkbox', name: 'savePaymentMethod', id: 'savePaymentMethod' }) : null;
    this.fields = h('div', { class: 'method-body', 'data-testid': 'card-form' }, this.card.element, this.holder.element,
      this.same ? h('label', { class: 'choice' }, this.same, h('span', {}, words.say('billingSame'))) : null, this.billingGroup,
      this.keep ? h('label', { class: 'choice' }, this.keep, h('span', {}, words.say('saveForLater'))) : null, this.wallet.optin);
  }

  buildMethods(page) {
    const { words } = this;
    const saved = page.payment_methods;
    const rows = saved.map((method) => this.savedRow(method));
    const offersCard = page.payment_method_types.includes('card');
    if (offersCard) {
      const single = saved.length + this.others.size === 0;
      rows.push(this.row('card', words.say(saved.length ? 'useNewCard' : 'card'), this.fields, saved.length === 0, ['visa', 'mastercard', 'amex'].map((name) => brandMark(name)), single));
    }
    for (const [type, fields] of this.others) {
      rows.push(this.row(type, fields.method.title, h('div', { class: 'method-body' }, fields.element), !offersCard && !saved.length && rows.length === 0));
    }
    replace(this.methods, rows);
    this.methods.addEventListener('change', (event) => {
      if (event.target.name === 'paymentMethod') this.arrange();
    });
  }

  row(type, title, body, checked, marks) {
    const radio = h('input', { type: 'radio', name: 'paymentMethod', value: type, id: `payment-method-${type}`, checked });
    return h('div', { class: 'method', 'data-testid': `${type}-accordion-item` },
      h('label', { class: 'method-head', 'data-testid': `${type}-accordion-item-button` }, radio, icon(type === 'card' ? 'card' : 'bank'), h('span', {}, title),
        marks ? h('span', { class: 'marks', 'aria-hidden': 'true' }, marks) : null),
      body);
  }

  savedRow(method) {
    const { words, page } = this;
    const { brand, last4, exp_month: month, exp_year: year } = method.card;
    const name = words.say('savedCard', { brand: brandTitle(brand), last4 });
    const removable = page.saved_payment_method_options?.payment_method_remove === 'enabled';
    const row = h('div', { class: 'method saved-method' },
      h('label', { class: 'method-head', 'data-testid': `saved-${method.id}` },
        h('input', { type: 'radio', name: 'paymentMethod', value: method.id, checked: method === page.payment_methods[0] }),
        h('span', { class: 'saved-name' }, name, h('small', {}, words.say('savedExpires', { month: String(month).padStart(2, '0'), year }))),
        h('span', { class: 'marks', 'aria-hidden': 'true' }, brandMark(brand))));
    if (removable) {
      row.append(h('button', {
        type: 'button', class: 'link-button remove', 'aria-label': `${words.say('remove')} ${name}`,
        onclick: async () => {
          await this.remove(method);
          row.remove();
          (this.methods.querySelector('input') ?? row).checked = true;
          this.arrange();
        },
      }, words.say('remove')));
    }
    return row;
  }

  chosen() {
    return this.methods.querySelector('input[name="paymentMethod"]:checked')?.value ?? '';
  }

  // A payment of nothing asks for no card.
  needed(page = this.page) {
    if (page.mode === 'payment') return page.amount_total > 0 || page.line_items.some((line) => line.price.custom_unit_amount);
    return page.mode === 'setup' || page.payment_method_collection === 'always' || page.amount_total > 0;
  }

  draw(page) {
    this.page = page;
    this.element.hidden = !this.needed(page);
  }

  arrange() {
    if (!this.methods) return;
    const active = Boolean(this.wallet.active);
    this.methods.hidden = active;
    const chosen = this.chosen();
    this.fields.hidden = chosen !== 'card';
    for (const [type, fields] of this.others) fields.element.parentNode.hidden = chosen !== type;
    this.billingGroup.hidden = Boolean(this.same?.checked);
  }

  newCard() {
    return this.needed() && !this.wallet.active && this.chosen() === 'card';
  }

  other() {
    return this.needed() && !this.wallet.active ? this.others.get(this.chosen()) : undefined;
  }

  validate() {
    if (!this.needed() || this.wallet.active) return [];
    const other = this.other();
    if (other) return other.validate();
    if (!this.newCard()) return this.chosen() ? [] : [{ name: 'paymentMethod', focus: () => this.methods.querySelector('input')?.focus() }];
    return [
      ...this.card.validate(),
      ...(this.holder.validate() ? [] : [this.holder]),
      ...(this.same?.checked ? [] : this.billing.validate()),
      ...this.wallet.invalid(),
    ];
  }

  billingAddress() {
    return this.same?.checked ? this.shipping.read() : this.billing.read();
  }

  // Name and address for the customer's details.
  person() {
    if (this.newCard()) return { name: this.holder.value, address: this.billingAddress() };
    const other = this.other();
    return other ? other.read().billing_details : {};
  }

  saving() {
    return this.newCard() && this.keep ? this.keep.checked : undefined;
  }

  // The id of a payment method: a saved one's, the wallet's, or a new one's.
  async method(email, phone) {
    if (!this.needed()) return null;
    if (this.wallet.active) return (await this.wallet.share(this.page.link.own_type)).id;
    const other = this.other();
    if (other) {
      const { options, ...params } = other.read();
      const made = await this.api.call('POST', '/v1/payment_methods', { ...params, billing_details: { ...params.billing_details, email: email || undefined } });
      if (made.type === 'us_bank_account') await this.api.call('POST', '/v1/elements/link_bank_account', { payment_method: made.id });
      this.options = Object.keys(options).length ? { [params.type]: options } : undefined;
      return made.id;
    }
    if (this.chosen() !== 'card') return this.chosen();
    const billing = { name: this.holder.value, email: email || undefined, phone: phone || undefined, address: this.billingAddress() };
    const made = await this.api.call('POST', '/v1/payment_methods', { type: 'card', card: this.card.read(), billing_details: billing, allow_redisplay: this.keep ? (this.keep.checked ? 'always' : 'limited') : undefined });
    await this.wallet.signUp(made, billing);
    return made.id;
  }
}
