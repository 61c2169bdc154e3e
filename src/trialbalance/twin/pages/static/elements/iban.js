// The IBAN Element.

import { validIban } from '../ui/methods.js';
import { h } from '../ui/dom.js';
import { on } from './channel.js';
import { api, classic, input, refuse } from './classic.js';
import { speak, validationError } from './messages.js';

const field = input('iban', 'IBAN', 'DE00 0000 0000 0000 0000 00', { autocomplete: 'off', autocapitalize: 'characters' });
const row = h('div', { class: 'row' }, h('span', { class: 'slot slot-number' }, field));
const plain = () => field.value.replace(/\s/g, '').toUpperCase();
const error = () => {
  if (plain().length < 15) return validationError('incomplete_iban');
  return validIban(plain()) ? undefined : validationError('invalid_iban');
};
let countries = null;

classic({
  fields: [field],
  row,
  translate: speak,
  state(touched) {
    const found = error();
    const complete = !found;
    return {
      error: found && field.value && touched.has(field) ? found : undefined, complete, empty: field.value === '',
      more: { country: plain().slice(0, 2) || undefined, bankName: complete ? 'Test bank' : undefined },
    };
  },
  typed() {
    field.value = plain().slice(0, 34).replace(/(.{4})(?=.)/g, '$1 ');
  },
  configure(options) {
    countries = options.supportedCountries ?? null;
    if (options.placeholderCountry) field.placeholder = `${options.placeholderCountry}00 0000 0000 0000 0000 00`;
  },
});

function iban() {
  const found = error();
  if (found) refuse(found, field);
  if (countries && !countries.includes('SEPA') && !countries.includes(plain().slice(0, 2))) {
    refuse(validationError('invalid_iban_country_code'), field);
  }
  return plain();
}

on('createPaymentMethod', ({ billing_details: billing, metadata }) => api.call('POST', '/v1/payment_methods', { type: 'sepa_debit', sepa_debit: { iban: iban() }, billing_details: billing, metadata }));
on('createToken', ({ data }) => api.call('POST', '/v1/tokens', { bank_account: { country: plain().slice(0, 2), currency: data.currency ?? 'eur', account_number: iban(), ...data } }));
on('createSource', ({ data }) => api.call('POST', '/v1/sources', { type: 'sepa_debit', sepa_debit: { iban: iban() }, ...data }));
