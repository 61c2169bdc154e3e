// Collecting a US bank account: choose the test institution, or type the numbers.

import { Api } from '../ui/api.js';
import { h, replace } from '../ui/dom.js';
import { hash } from '../ui/hosts.js';
import { icon } from '../ui/icons.js';
import { emit, on, ready } from './channel.js';

const root = document.getElementById('root');
const api = new Api({ key: hash.apiKey, account: hash.account, page: 'elements' });
const OUTCOMES = [['000123456789', 'Success'], ['000222222227', 'Not enough money'], ['000111111113', 'Account closed'], ['000333333335', 'Debit not authorised']];
let billing = {};

async function take(number) {
  try {
    const method = await api.call('POST', '/v1/payment_methods', {
      type: 'us_bank_account', billing_details: billing,
      us_bank_account: { account_holder_type: 'individual', routing_number: '110000000', account_number: number },
    });
    const intent = await api.call('POST', '/v1/elements/attach_bank_account', { client_secret: hash.secret, payment_method: method.id });
    emit('done', { intent });
  } catch (problem) {
    emit('done', { error: problem.error ?? { type: 'api_error', message: String(problem) } });
  }
}

on('init', ({ billing_details: given }) => {
  billing = given ?? {};
  replace(root, h('main', { class: 'payment', style: { padding: '24px' } },
    h('h1', { class: 'Label' }, icon('bank'), ' Link a test bank account'),
    h('p', { class: 'note' }, 'Each account of the test institution behaves in its own way.'),
    OUTCOMES.map(([number, title]) => h('button', { type: 'button', class: 'button', onclick: () => take(number) }, `${title} ····${number.slice(-4)}`)),
    h('button', { type: 'button', class: 'link-button', onclick: () => emit('done', { intent: null }) }, 'Cancel')));
});
ready();
