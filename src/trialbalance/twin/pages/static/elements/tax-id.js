// The Tax ID Element: what kind, which number, whose business.

import { namesIn } from '../ui/countries.js';
import { h } from '../ui/dom.js';
import { Field, grid } from '../ui/field.js';
import { taxTypes } from '../ui/taxids.js';
import { on } from './channel.js';
import { changed, country, id, modern } from './modern.js';

let view;

modern({
  build({ options, words }) {
    const shown = options.visibility !== 'never';
    const needed = (value) => (value ? null : words.say('missing'));
    const where = new Field({ name: 'country', id: id('country'), label: words.say('country'), words, visible: true, options: namesIn(words.locale, Object.keys(taxTypes)), onedit: refresh });
    where.value = taxTypes[country()] ? country() : 'DE';
    const business = new Field({ name: 'businessName', id: id('businessName'), label: words.say('business'), words, visible: true, check: needed, onedit: look, attributes: { autocomplete: 'organization' } });
    const number = new Field({ name: 'taxId', id: id('taxId'), label: words.say('taxNumber'), words, visible: true, check: (value) => (!value ? words.say('missing') : taxTypes[where.value].pattern.test(value.replace(/\s/g, '')) ? null : words.say('invalidTaxId')), onedit: look });
    view = { where, business, number };
    refresh();
    return shown ? grid([business, where, number], (fields) => [[fields[0]], [fields[1], fields[2]]]).element : [];
  },
});

function refresh() {
  view.number.control.placeholder = taxTypes[view.where.value].example;
  look();
}

function state() {
  const { where, business, number } = view;
  return {
    elementType: 'taxId', complete: Boolean(business.value) && number.check(number.value) === null, empty: !business.value && !number.value,
    value: { businessName: business.value, externalTaxId: number.value, externalTaxIdType: taxTypes[where.value].type, taxId: { type: taxTypes[where.value].type, value: number.value } },
  };
}

function look() {
  if (view?.number) changed(state());
}

on('value', () => state());
on('submitElements', () => {
  const wrong = [view.business, view.number].filter((field) => !field.validate());
  if (!wrong.length || (!view.business.value && !view.number.value)) return {};
  wrong[0].focus();
  throw { error: { type: 'validation_error', code: 'incomplete_tax_id', message: wrong[0].message } };
});
