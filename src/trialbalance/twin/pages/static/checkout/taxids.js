// "I am buying for a business": a tax number and the business's name.

import { h } from '../ui/dom.js';
import { Field } from '../ui/field.js';
import { namesIn } from '../ui/countries.js';
import { taxTypes } from '../ui/taxids.js';

export class TaxIds {
  constructor(page, words, changed) {
    this.words = words;
    this.required = page.tax_id_collection.required === 'if_supported';
    this.box = h('input', { type: 'checkbox', name: 'purchasingAsBusiness', id: 'purchasingAsBusiness', checked: this.required });
    const region = new Intl.Locale(navigator.language).maximize().region;
    const needed = (value) => (value ? null : words.say('missing'));
    this.business = new Field({ name: 'businessName', id: 'taxBusinessName', label: words.say('business'), visible: true, words, check: needed, attributes: { autocomplete: 'organization' } });
    this.country = new Field({ name: 'taxIdCountry', label: words.say('country'), visible: true, words, options: namesIn(words.locale, Object.keys(taxTypes)) });
    this.country.value = taxTypes[region] ? region : 'DE';
    this.number = new Field({
      name: 'taxId', label: words.say('taxNumber'), visible: true, words,
      check: (value) => (!value ? words.say('missing') : taxTypes[this.country.value].pattern.test(value.replace(/\s/g, '')) ? null : words.say('invalidTaxId')),
    });
    this.fields = [this.business, this.country, this.number];
    for (const field of this.fields) field.element.append(h('div', { role: 'alert' }, field.error));
    const more = h('div', { class: 'section' }, this.fields.map((field) => field.element));
    const arrange = () => {
      more.hidden = !this.box.checked;
      this.number.control.placeholder = taxTypes[this.country.value].example;
    };
    this.box.addEventListener('change', () => {
      arrange();
      changed();
    });
    this.country.control.addEventListener('change', arrange);
    this.number.control.addEventListener('change', () => this.number.check(this.number.value) === null && changed());
    arrange();
    this.element = h('section', { class: 'section', 'data-testid': 'tax-id' },
      h('label', { class: 'choice', hidden: this.required }, this.box, h('span', {}, words.say('forBusiness'))), more);
  }

  validate() {
    return this.box.checked ? this.fields.filter((field) => !field.validate()) : [];
  }

  read() {
    if (!this.box.checked || !this.number.value) return { tax_ids: '' };
    return { business_name: this.business.value, tax_ids: [{ type: taxTypes[this.country.value].type, value: this.number.value.replace(/\s/g, '') }] };
  }
}
