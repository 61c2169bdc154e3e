// Onboarding: the account's holder tells, step by step, what is missing.

import { h, replace } from '../ui/dom.js';
import { ask, beacon, emit } from './frame.js';
import { badge, button, form, input, pairs, plain, select } from './parts.js';
import { state } from './state.js';

const TEXT = {
  business_type: ['Kind of business', () => [select('business_type', 'I sell as', [['individual', 'an individual'], ['company', 'a company']], flow.values.business_type ?? flow.account.business_type ?? 'individual')]],
  business_details: ['About the business', () => [
    input('business_name', 'Name of the business', { value: flow.values.business_name ?? flow.account.business_profile.name, autocomplete: 'organization' }),
    input('url', 'Website', { value: flow.values.url ?? flow.account.business_profile.url, hint: 'Test value: https://accessible.stripe.com' }),
    flow.values.business_type === 'company' ? input('tax_id', 'Tax number', { value: flow.values.tax_id, hint: 'Test value: 000000000' }) : null,
  ]],
  representative_details: ['About you', () => [
    input('first_name', 'First name', { value: flow.values.first_name, autocomplete: 'given-name' }),
    input('last_name', 'Last name', { value: flow.values.last_name, autocomplete: 'family-name' }),
    input('email', 'Email', { value: flow.values.email ?? flow.account.email, type: 'email', autocomplete: 'email' }),
    input('phone', 'Phone', { value: flow.values.phone, type: 'tel', hint: 'Test value: 0000000000' }),
    input('dob', 'Date of birth', { value: flow.values.dob, placeholder: '1901-01-01', hint: 'As year-month-day. Test value: 1901-01-01' }),
    input('line1', 'Street', { value: flow.values.line1, hint: 'Test value: address_full_match' }),
    input('city', 'City', { value: flow.values.city }),
    flow.account.asks_state ? input('state', 'State', { value: flow.values.state }) : null,
    input('postal_code', 'Postal code', { value: flow.values.postal_code }),
    input('id_number', 'Identity number', { value: flow.values.id_number, hint: 'Test value: 000000000' }),
  ]],
  external_account: ['Where payouts go', () => [input('account_number', 'Bank account number', { value: flow.values.account_number, inputmode: 'numeric', hint: 'Test value: 000123456789' })]],
  summary: ['Review and submit', () => [summary()]],
};
let flow;

// `box` is where it is drawn; `leave` what happens at its end.
export function start(box, account, leave) {
  const steps = ['business_type', 'business_details', 'representative_details'];
  if (account.features.external_account_collection && !account.external_accounts.length) steps.push('external_account');
  steps.push('summary');
  flow = { account, box, leave, steps, at: 0, values: {} };
  draw();
}

function draw() {
  const { account, at, steps, box } = flow;
  const step = steps[at];
  const [title, fields] = TEXT[step];
  emit('stepchange', { step });
  beacon.send('step', { step });
  const heading = h('h2', { class: 'heading', tabindex: -1 }, title);
  replace(box,
    h('p', { class: 'quiet' }, `Step ${at + 1} of ${steps.length}`),
    heading,
    form(fields(), step === 'summary' ? 'Agree and submit' : 'Continue', next, { cancel: null }),
    h('div', { class: 'actions start' }, at ? button('Back', () => move(-1)) : null, button('Save for later', flow.leave)),
    account.requirements.past_due.length ? h('p', { class: 'quiet' }, 'Some of this is overdue.') : null);
  if (at) heading.focus();
}

function move(by) {
  flow.at += by;
  draw();
}

async function next(values) {
  if (flow.steps[flow.at] !== 'summary') {
    Object.assign(flow.values, values);
    move(1);
    return;
  }
  const details = Object.fromEntries(Object.entries(flow.values).filter(([, value]) => value));
  flow.account = await ask('POST', 'account/submit', { details });
  beacon.send('submit', { details_submitted: flow.account.details_submitted });
  emit('changed', {});
  flow.leave(flow.account);
}

function summary() {
  const { values, account } = flow;
  const { fullTermsOfServiceUrl: terms, privacyPolicyUrl: privacy, recipientTermsOfServiceUrl: recipient, skipTermsOfServiceCollection: skip } = state.props;
  const link = (url, text) => h('a', { href: url, target: '_blank', rel: 'noreferrer' }, text);
  return h('div', { class: 'summary' },
    pairs([
      ['Kind of business', plain(values.business_type ?? account.business_type)],
      ['Business', values.business_name || account.business_profile.name || 'Test business'],
      ['Name', [values.first_name || 'Jenny', values.last_name || 'Rosen'].join(' ')],
      ['Bank account', values.account_number ? `•••• ${values.account_number.slice(-4)}` : account.external_accounts[0] ? `•••• ${account.external_accounts[0].last4}` : '•••• 6789'],
    ]),
    h('p', { class: 'quiet' }, 'What you left empty is filled in with test values.'),
    skip === true || skip === 'true' ? null : h('p', { class: 'quiet' }, 'By submitting you accept the ', terms || recipient ? link(terms ?? recipient, 'terms of service') : 'terms of service', privacy ? [' and the ', link(privacy, 'privacy policy')] : null, '.'));
}

// What of an account's needs a site wants to be asked for.
export function due(account) {
  const { fields = 'currently_due', requirements = {} } = state.props.collectionOptions ?? {};
  const needs = fields === 'eventually_due' ? account.requirements.eventually_due : account.requirements.currently_due;
  const fits = (name, patterns) => patterns.some((pattern) => name === pattern || name.startsWith(`${pattern}.`) || (pattern.includes('*') && new RegExp(`^${pattern.split('*').map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&')).join('.*')}`).test(name)));
  return needs.filter((name) => (requirements.only ? fits(name, requirements.only) : true) && !(requirements.exclude && fits(name, requirements.exclude)));
}

export function standing(account) {
  return h('p', { class: 'status' },
    account.charges_enabled ? badge('success', 'Payments enabled') : badge('warning', 'Payments not enabled'), ' ',
    account.payouts_enabled ? badge('success', 'Payouts enabled') : badge('warning', 'Payouts not enabled'));
}
