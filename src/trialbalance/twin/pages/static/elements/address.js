// The Address Element: a name, an address and perhaps a phone number.

import { Address, ELEMENTS } from '../ui/address.js';
import { h } from '../ui/dom.js';
import { Field } from '../ui/field.js';
import { on } from './channel.js';
import { changed, country, id, modern } from './modern.js';

let view;

modern({
  build({ options, words }) {
    const defaults = options.defaultValues ?? {};
    const split = options.display?.name === 'split';
    const organization = options.display?.name === 'organization';
    const start = defaults.address?.country ?? country();
    const allowed = options.allowedCountries ?? undefined;
    const address = new Address({
      names: ELEMENTS, kind: options.mode, words, countries: allowed ?? undefined, country: allowed && !allowed.includes(start) ? allowed[0] : start,
      full: true, named: !split, spaced: true, id, onedit: look,
    });
    if (organization) address.name.label.firstChild.textContent = words.say('business');
    if (options.fields?.name === 'never' && address.name) address.name.element.hidden = true;
    const needed = (value) => (value ? null : words.say('missing'));
    const names = split ? ['firstName', 'lastName'].map((name) => new Field({ name, id: id(name), label: words.say(name), words, visible: true, check: needed, onedit: look, attributes: { autocomplete: name === 'firstName' ? 'given-name' : 'family-name' } })) : [];
    const wanted = options.fields?.phone ?? 'auto';
    const required = options.validation?.phone?.required ?? 'auto';
    const phone = wanted === 'always' ? new Field({ name: 'phone', id: id('phone'), label: words.say('phone'), words, visible: true, optional: required === 'never', check: (v) => (!v ? (required === 'never' ? null : words.say('missing')) : v.replace(/\D/g, '').length >= 6 ? null : words.say('invalidPhone')), onedit: look, attributes: { type: 'tel', autocomplete: 'tel' } }) : null;
    if (defaults.address) address.fill(defaults.address);
    if (defaults.name && address.name) address.name.value = defaults.name;
    if (defaults.phone && phone) phone.value = defaults.phone;
    names.forEach((field) => {
      field.value = defaults[field.name] ?? '';
    });
    for (const field of [...names, phone].filter(Boolean)) field.element.append(h('div', { role: 'alert' }, field.error));
    view = { address, names, phone, contacts: options.contacts ?? [] };
    queueMicrotask(look);
    const contacts = view.contacts.length
      ? h('div', { class: 'group' }, view.contacts.map((contact) => h('button', { type: 'button', class: 'button', onclick: () => take(contact) }, `${contact.name} · ${contact.address.line1}`)))
      : null;
    return [contacts, names.length ? h('div', { class: 'grid' }, names.map((field) => field.element)) : null, address.element, phone?.element];
  },
});

function take(contact) {
  view.address.fill(contact.address);
  if (view.address.name) view.address.name.value = contact.name;
  if (view.phone && contact.phone) view.phone.value = contact.phone;
  view.taken = contact;
  look();
}

function fields() {
  return [...view.names, ...view.address.fields, view.phone].filter((field) => field && !field.element.hidden);
}

function state() {
  const { address, names, phone } = view;
  const read = address.read();
  const value = {
    name: names.length ? names.map((field) => field.value).join(' ').trim() : address.name.value,
    ...(names.length ? { firstName: names[0].value, lastName: names[1].value } : {}),
    address: { line1: read.line1 ?? '', line2: read.line2 ?? null, city: read.city ?? '', country: read.country, postal_code: read.postal_code ?? '', state: read.state ?? '' },
    ...(phone ? { phone: phone.value } : {}),
  };
  return {
    elementType: 'address',
    empty: fields().every((field) => field.control.tagName === 'SELECT' || !field.value),
    complete: fields().every((field) => field.check(field.value) === null),
    isNewAddress: !view.taken || view.taken.address.line1 !== value.address.line1,
    value,
  };
}

function look() {
  if (view) changed(state());
}

on('value', () => {
  const { complete, isNewAddress, value } = state();
  return { complete, isNewAddress, value };
});
on('submitElements', () => {
  const wrong = fields().filter((field) => !field.validate());
  if (!wrong.length) return {};
  wrong[0].focus();
  throw { error: { type: 'validation_error', code: 'incomplete_address', message: wrong[0].message } };
});
