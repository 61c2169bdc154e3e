// The Australian bank account Element: BSB and account number.

import { h } from '../ui/dom.js';
import { on } from './channel.js';
import { api, classic, input, refuse } from './classic.js';
import { say, speak } from './messages.js';

const bsb = input('au_bsb', 'BSB', '000-000', { inputmode: 'numeric' });
const account = input('au_bank_account_number', 'Account number', 'Account number', { inputmode: 'numeric' });
const row = h('div', { class: 'row' }, h('span', { class: 'slot slot-expiry' }, bsb), h('span', { class: 'slot slot-number' }, account));
const digits = (field) => field.value.replace(/\D/g, '');
const error = () => {
  if (digits(bsb).length < 6) return { type: 'validation_error', code: 'incomplete_au_bank_account', message: say('enterAll') };
  if (digits(account).length < 4) return { type: 'validation_error', code: 'incomplete_au_bank_account', message: say('enterAll') };
  return undefined;
};

classic({
  fields: [bsb, account],
  row,
  translate(words) {
    speak(words);
    account.setAttribute('aria-label', say('accountNumber'));
    account.placeholder = say('accountNumber');
  },
  state(touched) {
    const found = error();
    return { error: found && touched.size === 2 ? found : undefined, complete: !found, empty: !bsb.value && !account.value, more: { bankName: found ? undefined : 'Test bank', branchName: undefined } };
  },
  typed(field) {
    if (field === bsb) {
      const plain = digits(bsb).slice(0, 6);
      bsb.value = plain.length > 3 ? `${plain.slice(0, 3)}-${plain.slice(3)}` : plain;
      if (plain.length === 6) account.focus();
    } else account.value = digits(account).slice(0, 9);
  },
});

on('createPaymentMethod', ({ billing_details: billing, metadata }) => {
  const found = error();
  if (found) refuse(found, bsb);
  return api.call('POST', '/v1/payment_methods', { type: 'au_becs_debit', au_becs_debit: { bsb_number: digits(bsb), account_number: digits(account) }, billing_details: billing, metadata });
});
