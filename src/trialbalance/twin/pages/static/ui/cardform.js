// A card, its holder and where it is billed: the short form of the invoice page and the portal.

import { Address, CHECKOUT } from './address.js';
import { CardFields } from './cardfields.js';
import { h } from './dom.js';
import { Field } from './field.js';

export class CardForm {
  constructor(words, country) {
    this.card = new CardFields(words);
    this.holder = new Field({
      name: 'billingName', label: words.say('holder'), visible: true, words, check: (value) => (value ? null : words.say('missing')),
      attributes: { placeholder: words.say('fullNameOnCard'), autocomplete: 'cc-name' },
    });
    this.holder.element.append(h('div', { role: 'alert' }, this.holder.error));
    this.billing = new Address({ names: CHECKOUT('billing'), kind: 'billing', words, country, full: false });
    this.element = h('div', { class: 'section' }, this.card.element, this.holder.element,
      h('fieldset', { class: 'group' }, h('legend', { class: 'label' }, words.say('country')), this.billing.element));
  }

  validate() {
    const wrong = [...this.card.validate(), ...(this.holder.validate() ? [] : [this.holder]), ...this.billing.validate()];
    wrong[0]?.focus();
    return wrong;
  }

  params() {
    return { type: 'card', card: this.card.read(), billing_details: { name: this.holder.value, address: this.billing.read() } };
  }

  refuse(error) {
    const field = this.card.refuse(error);
    field?.focus();
    return field;
  }
}

export const browserCountry = () => {
  const region = new Intl.Locale(navigator.language).maximize().region;
  return region && region !== '001' ? region : 'US';
};
