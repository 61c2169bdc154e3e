// An address in the way of its country: fields come, go and change their names with it.

import { cardPostal, fieldsOf, namesIn, postalRight, subdivisionsOf } from './countries.js';
import { block, Field, grid } from './field.js';

export const CHECKOUT = (prefix) => ({
  name: `${prefix}Name`, country: `${prefix}Country`, line1: `${prefix}AddressLine1`, line2: `${prefix}AddressLine2`,
  city: `${prefix}Locality`, state: `${prefix}AdministrativeArea`, postal_code: `${prefix}PostalCode`,
});
export const ELEMENTS = {
  name: 'name', country: 'country', line1: 'addressLine1', line2: 'addressLine2', city: 'locality',
  state: 'administrativeArea', postal_code: 'postalCode',
};

export class Address {
  // names: of the fields; kind: `shipping` or `billing`; full: all lines, or country (and postal code) only;
  // named: with the name on top; spaced: each field with its label instead of one block; skip: parts to leave out;
  // id(name): ids of the inputs
  constructor({ names, kind, words, countries, country, full, named, onchange, onedit, spaced = false, skip = [], id = (name) => name }) {
    Object.assign(this, { words, kind, names, full, spaced, skip, id, onedit });
    this.onchange = onchange ?? (() => {});
    const needed = (value) => (value ? null : words.say('missing'));
    const make = (part, key, autocomplete, check) =>
      new Field({
        name: names[part], id: id(names[part]), label: words.say(key), words, check, visible: spaced, onedit,
        attributes: { placeholder: spaced ? undefined : words.say(key), autocomplete: `${kind} ${autocomplete}` },
      });
    this.name = named ? make('name', 'fullName', 'name', needed) : null;
    this.country = new Field({
      name: names.country, id: id(names.country), label: words.say('country'), words, check: needed, visible: spaced, onedit,
      options: namesIn(words.locale, countries), attributes: { autocomplete: `${kind} country` },
    });
    if (!countries || countries.includes(country)) this.country.value = country;
    this.parts = {
      line1: make('line1', 'address', 'address-line1', needed),
      line2: make('line2', 'addressLine2', 'address-line2'),
      city: make('city', 'city', 'address-level2', needed),
      state: make('state', 'region', 'address-level1', (value) => this.checkState(value)),
      postal_code: make('postal_code', 'postal', 'postal-code', (value) => this.checkPostal(value)),
    };
    this.fields = [this.name, this.country, ...Object.values(this.parts)].filter(Boolean);
    this.block = spaced ? grid(this.fields, rows) : block(this.fields, rows);
    this.element = this.block.element;
    this.country.element.hidden = skip.includes('country');
    this.country.control.addEventListener('change', () => {
      this.arrange();
      this.onchange();
    });
    this.name?.control.addEventListener('change', () => this.onchange());
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
    for (const [part, field] of Object.entries(this.parts)) {
      field.element.hidden = !wanted.includes(part) || this.skip.includes(part);
    }
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
        name: this.names.state, id: this.id(this.names.state), label: word, words: this.words, check: field.check,
        visible: this.spaced, onedit: this.onedit,
        options: known ? [['', word], ...known.list] : undefined,
        attributes: { autocomplete: field.control.getAttribute('autocomplete'), placeholder: known || this.spaced ? undefined : word },
      });
      fresh.element.hidden = field.element.hidden;
      field.element = fresh.element;
      field.error.replaceWith(fresh.error);
      adopt(field, fresh);
      if (!known || known.list.some(([code]) => code === before)) field.value = before;
      field.control.addEventListener('change', () => this.onchange());
    } else {
      rename(field, word);
    }
  }

  complete() {
    return this.fields.every((field) => field.element.hidden || field.check(field.value) === null);
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
  if (field.control.tagName === 'INPUT' && field.control.placeholder) field.control.placeholder = word;
}

// A field takes over the fresh input of another; whoever holds the field need not know.
function adopt(field, fresh) {
  Object.assign(field, { control: fresh.control, error: fresh.error, errorId: fresh.errorId, label: fresh.label, message: null });
  fresh.check = field.check;
  fresh.control.addEventListener('input', () => field.message && field.validate());
  fresh.control.addEventListener('blur', () => {
    if (field.value) field.validate();
  });
}

// City beside postal code or state; everything else on its own line.
function rows(shown) {
  const out = [];
  const pair = [];
  for (const field of shown) {
    if (/locality|administrativeArea|postalCode/i.test(field.name) && shown.length > 3) pair.push(field);
    else out.push([field]);
  }
  if (pair.length === 3) out.push([pair[0]], [pair[1], pair[2]]);
  else if (pair.length === 2) out.push(pair);
  else if (pair.length === 1) out.push([pair[0]]);
  return out;
}
