// The details of a payment method that is not a card.

import { Address, ELEMENTS } from './address.js';
import { namesIn } from './countries.js';
import { h } from './dom.js';
import { Field, grid } from './field.js';
import { bankName, validIban } from './methods.js';

const PLAIN = {
  account_number: { key: 'accountNumber', hash: true, inputmode: 'numeric' },
  bank_code: { key: 'bankCode', hash: true, inputmode: 'numeric' },
  blik_code: { key: 'blikCode', option: 'code', inputmode: 'numeric' },
  branch_code: { key: 'branchCode', hash: true, inputmode: 'numeric' },
  bsb_number: { key: 'bsb', hash: true, inputmode: 'numeric' },
  email: { key: 'email', billing: true, inputmode: 'email', type: 'email', autocomplete: 'email' },
  iban: { key: 'iban', hash: true },
  institution_number: { key: 'institution', hash: true, inputmode: 'numeric' },
  name: { key: 'fullName', billing: true, autocomplete: 'name' },
  routing_number: { key: 'routing', hash: true, inputmode: 'numeric' },
  sort_code: { key: 'sortCode', hash: true, inputmode: 'numeric' },
  suffix: { key: 'suffix', hash: true, inputmode: 'numeric' },
  tax_id: { key: 'taxNumber', hash: true },
  transit_number: { key: 'transit', hash: true, inputmode: 'numeric' },
};

export class OtherFields {
  // known: billing details that are asked for elsewhere; skip: names of fields to leave out
  constructor(method, words, { country, skip = [], id = (name) => name, onedit, mandate } = {}) {
    this.method = method;
    this.words = words;
    this.fields = [];
    this.address = null;
    for (const name of method.fields.filter((field) => !skip.includes(field))) {
      if (name === 'address') {
        this.address = new Address({ names: ELEMENTS, kind: 'billing', words, country, full: true, spaced: true, id, onedit });
      } else this.fields.push(this.field(name, country, id, onedit));
    }
    const note = method.after === 'redirect' ? words.say('redirectNote', { method: method.title }) : method.after === 'voucher' ? words.say('voucherNote', { method: method.title }) : null;
    this.element = h('div', { class: 'group', 'data-testid': `fields-${method.type}` },
      this.fields.length ? grid(this.fields, (shown) => shown.map((field) => [field])).element : null,
      this.address?.element,
      note ? h('p', { class: 'note' }, note) : null,
      method.after === 'debit' && mandate ? h('p', { class: 'terms' }, words.say('mandate', { merchant: mandate })) : null);
  }

  field(name, country, id, onedit) {
    const { words, method } = this;
    const needed = (value) => (value ? null : words.say('missing'));
    if (name === 'bank') {
      return this.made(name, new Field({ name: 'bank', id: id('bank'), label: words.say('bank'), words, visible: true, check: needed, onedit, options: [['', words.say('dropdownChoose')], ...method.banks.map((code) => [code, bankName(code)])] }));
    }
    if (name === 'country' || name === 'bank_country') {
      const list = name === 'bank_country' ? ['AT', 'BE', 'DE', 'ES', 'IT', 'NL'] : undefined;
      const field = new Field({ name: 'country', id: id('country'), label: words.say('country'), words, visible: true, check: needed, onedit, options: namesIn(words.locale, list) });
      field.value = list && !list.includes(country) ? list[0] : country;
      return this.made(name, field);
    }
    if (name === 'account_holder_type') {
      return this.made(name, new Field({ name, id: id(name), label: words.say('holderType'), words, visible: true, check: needed, onedit, options: [['individual', words.say('individualHolder')], ['company', words.say('companyHolder')]] }));
    }
    const { key, inputmode, type, autocomplete } = PLAIN[name];
    const check = { email: (v) => (!v ? words.say('missing') : /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(v) ? null : words.say('invalidEmail')), iban: (v) => (!v ? words.say('missing') : validIban(v) ? null : words.say('invalidIban')) }[name] ?? needed;
    return this.made(name, new Field({ name, id: id(name), label: words.say(key), words, visible: true, check, onedit, attributes: { inputmode, type: type ?? 'text', autocomplete: autocomplete ?? 'off' } }));
  }

  made(name, field) {
    field.part = name;
    return field;
  }

  validate() {
    return [...this.fields.filter((field) => !field.validate()), ...(this.address?.validate() ?? [])];
  }

  complete() {
    return this.fields.every((field) => field.check(field.value) === null)
      && (this.address?.fields ?? []).every((field) => field.element.hidden || field.check(field.value) === null);
  }

  empty() {
    return this.fields.every((field) => !field.value || field.control.tagName === 'SELECT');
  }

  // {type, [type]: {…}, billing_details, options} for the API
  read() {
    const { type } = this.method;
    const out = { type, [type]: {}, billing_details: {}, options: {} };
    for (const field of this.fields) {
      const { part, value } = field;
      if (part === 'country') out.billing_details.address = { country: value };
      else if (part === 'bank_country') out[type].country = value;
      else if (part === 'bank' || part === 'account_holder_type') out[type][part] = value;
      else if (PLAIN[part].billing) out.billing_details[part] = value;
      else if (PLAIN[part].option) out.options[PLAIN[part].option] = value;
      else out[type][part] = value.replace(/\s/g, '');
    }
    if (this.address) out.billing_details.address = this.address.read();
    if (!Object.keys(out[type]).length) delete out[type];
    return out;
  }
}
