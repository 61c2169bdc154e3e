// An address in the way of its country: fields come, go and change their names with it.

import { cardPostal, fieldsOf, namesIn, postalRight, subdivisionsOf } from '../ui/countries.js';
import { block, Field } from './field.js';

const NAMES = { line1: 'AddressLine1', line2: 'AddressLine2', city: 'Locality', state: 'AdministrativeArea', postal_code: 'PostalCode' };

export class Address {
  // prefix: `shipping` or `billing`; full: all lines, or country (and postal code) only; named: with the name on top
  constructor({ prefix, words, countries, country, full, named, onchange }) {
    this.words = words;
    this.prefix = prefix;
    this.full = full;
    this.onchange = onchange ?? (() => {});
    const needed = (value) => (value ? null : words.say('missing'));
    const complete = prefix === 'shipping' ? 'shipping' : 'billing';
    const make = (name, key, autocomplete, check) =>
      new Field({
        name: `${prefix}${name}`, label: words.say(key), words, check,
        attributes: { placeholder: words.say(key), autocomplete: `${complete} ${autocomplete}` },
      });
    this.name = named ? make('Name', 'fullName', 'name', needed) : null;
    this.country = new Field({
      name: `${prefix}Country`, label: words.say('country'), words, check: needed, options: namesIn(words.locale, countries),
      attributes: { autocomplete: `${complete} country` },
    });
    if (!countries || countries.includes(country)) this.country.value = country;
    this.parts = {
      line1: make('AddressLine1', 'address', 'address-line1', needed),
      line2: make('AddressLine2', 'addressLine2', 'address-line2'),
      city: make('Locality', 'city', 'address-level2', needed),
      state: make('AdministrativeArea', 'region', 'address-level1', (value) => this.checkState(value)),
      postal_code: make('PostalCode', 'postal', 'postal-code', (value) => this.checkPostal(value)),
    };
    this.fields = [this.name, this.country, ...Object.values(this.parts)].filter(Boolean);
    this.block = block(this.fields, (shown) => rows(shown));
    this.element = this.block.element;
    this.country.control.addEventListener('change', () => {
      this.arrange();
      this.onchange();
    });
    for (const field of Object.values(this.parts)) field.control.addEventListener('change', () => this.onchange());
    this.arrange();
  }

  checkState(value) {
    return value || !subdivisionsOf(this.country.value) ? null : this.words.say('missing');
  }

  checkPostal(value) {
    if (!value) return this.words.say('missing');
    return postalRight(this.country.value, value) ? null : this.words.say('invalidPostal');
  }

  setFull(full) {
    this.full = full;
    this.arrange();
  }

  arrange() {
    const country = this.country.value;
    const wanted = this.full ? fieldsOf(country) : cardPostal(country) ? ['postal_code'] : [];
    for (const [part, field] of Object.entries(this.parts)) field.element.hidden = !wanted.includes(part);
    const named = country === 'US' ? 'zip' : 'postal';
    rename(this.parts.postal_code, this.words.say(named));
    this.arrangeState(country);
    this.block.place();
  }

  // Where the subdivisions are known the field is a list of them.
  arrangeState(country) {
    const known = subdivisionsOf(country);
    const field = this.parts.state;
    const word = this.words.say(known?.word ?? 'region');
    if (Boolean(known) !== (field.control.tagName === 'SELECT') || known) {
      const before = field.value;
      const fresh = new Field({
        name: `${this.prefix}${NAMES.state}`, label: word, words: this.words, check: field.check,
        options: known ? [['', word], ...known.list] : undefined,
        attributes: { autocomplete: field.control.getAttribute('autocomplete'), placeholder: known ? undefined : word },
      });
      fresh.element.hidden = field.element.hidden;
      field.element = fresh.element;
      field.error.replaceWith(fresh.error);
      Object.assign(field, { control: fresh.control, error: fresh.error, errorId: fresh.errorId, label: fresh.label, message: null });
      if (!known || known.list.some(([code]) => code === before)) field.value = before;
      field.control.addEventListener('change', () => this.onchange());
      field.control.addEventListener('input', () => field.message && field.validate());
    } else {
      rename(field, word);
    }
  }

  validate() {
    return this.fields.filter((field) => !field.validate());
  }

  read() {
    const address = { country: this.country.value };
    for (const [part, field] of Object.entries(this.parts)) {
      if (!field.element.hidden && field.value) address[part] = field.value;
    }
    return address;
  }

  fill(address = {}) {
    if (address.country) this.country.value = address.country;
    this.arrange();
    for (const [part, field] of Object.entries(this.parts)) if (address[part]) field.value = address[part];
  }
}

function rename(field, word) {
  field.label.firstChild.textContent = word;
  if (field.control.tagName === 'INPUT') field.control.placeholder = word;
}

// City beside postal code or state; everything else on its own line.
function rows(shown) {
  const out = [];
  const pair = [];
  for (const field of shown) {
    if (/Locality|AdministrativeArea|PostalCode/.test(field.name) && shown.length > 3) pair.push(field);
    else out.push([field]);
  }
  if (pair.length === 3) out.push([pair[0]], [pair[1], pair[2]]);
  else if (pair.length === 2) out.push(pair);
  else if (pair.length === 1) out.push([pair[0]]);
  return out;
}
