// The account itself: onboarding, management, the banner of what is missing, documents.

import { h, replace } from '../ui/dom.js';
import { icon } from '../ui/icons.js';
import { ask, beacon, box, emit } from './frame.js';
import { dialog } from './dialog.js';
import { due, standing, start } from './onboarding.js';
import { button, day, form, input, pairs, plain, table } from './parts.js';

const FIELDS = [['name', 'Name of the business', 'text'], ['url', 'Website', 'url'], ['support_email', 'Support email', 'email'], ['support_phone', 'Support phone', 'tel']];

export async function runOnboarding() {
  const account = await ask('GET', 'account');
  const leave = (after) => {
    emit('exit', {});
    draw(after ?? account);
  };
  const draw = (found) => {
    const missing = due(found);
    const open = missing.length || !found.details_submitted;
    replace(box, h('section', { class: 'card' },
      h('h2', { class: 'heading' }, open ? 'Tell us about your business' : 'You are set up'),
      standing(found),
      open ? h('p', { class: 'quiet' }, `${missing.length} ${missing.length === 1 ? 'thing is' : 'things are'} missing before you can be paid.`)
        : h('p', { class: 'quiet' }, found.requirements.pending_verification.length ? 'Your details are being checked.' : 'Nothing is missing.'),
      open ? button(found.details_submitted ? 'Update information' : 'Add information', () => start(box, found, leave), 'primary') : null));
  };
  draw(account);
}

export async function runManagement() {
  const account = await ask('GET', 'account');
  const edit = (section, fields, work) => {
    emit('sectionopen', { sectionName: section });
    beacon.send('section', { section });
    replace(box, h('section', { class: 'card' }, h('h2', { class: 'heading' }, plain(section)), form(fields, 'Save', async (values) => {
      await work(values);
      beacon.send('save', { section });
      await runManagement();
    }, { cancel: runManagement })));
  };
  const missing = due(account);
  replace(box,
    missing.length ? h('div', { class: 'banner notice' }, icon('alert'), h('div', {}, `${missing.length} ${missing.length === 1 ? 'thing is' : 'things are'} missing. `, button('Update information', () => start(box, account, runManagement)))) : null,
    h('section', { class: 'card', 'aria-label': 'Business' }, h('h2', { class: 'heading' }, 'Business'), standing(account),
      pairs(FIELDS.map(([name, text]) => [text, account.business_profile[name] ?? 'Not given'])),
      button('Edit business details', () => edit('business_details', FIELDS.map(([name, text, type]) => input(name, text, { value: account.business_profile[name], type })), (values) => ask('POST', 'account', { business_profile: values })), 'secondary')),
    h('section', { class: 'card', 'aria-label': 'Payout accounts' }, h('h2', { class: 'heading' }, 'Payout accounts'),
      account.external_accounts.length ? h('ul', { class: 'cards' }, account.external_accounts.map((item) => h('li', {}, `${item.name ?? 'Account'} •••• ${item.last4} (${item.currency.toUpperCase()})`))) : h('p', { class: 'quiet' }, 'None yet.'),
      account.features.external_account_collection ? button('Change bank account', () => edit('external_account', [
        input('routing_number', 'Routing number', { inputmode: 'numeric', hint: 'Test value: 110000000' }),
        input('account_number', 'Account number', { inputmode: 'numeric', hint: 'Test value: 000123456789' }),
      ], (values) => ask('POST', 'account/external_account', values)), 'secondary') : null));
}

// Nothing to tell, nothing to see.
export async function runBanner() {
  const account = await ask('GET', 'account');
  const missing = due(account);
  const urgent = account.requirements.past_due.length > 0 || Boolean(account.requirements.disabled_reason);
  const total = missing.length || urgent ? 1 : 0;
  emit('notificationschange', { total, actionRequired: total });
  replace(box, total ? h('div', { class: `banner ${urgent ? 'danger' : 'notice'}`, role: 'status' }, icon('alert'),
    h('div', {}, h('strong', {}, urgent ? 'Your account is restricted. ' : 'Information is needed. '), `${missing.length} ${missing.length === 1 ? 'thing is' : 'things are'} missing. `,
      button('Add information', () => emit('overlay', { view: 'onboarding' })))) : []);
}

export async function runOnboardingOver() {
  const account = await ask('GET', 'account');
  const sheet = dialog('Add information');
  const body = h('div', {});
  sheet.show(body);
  start(body, account, () => {
    emit('exit', {});
    sheet.close();
  });
}

export async function runDocuments() {
  const found = await ask('GET', 'documents', {});
  const open = async (row) => {
    const { url } = await ask('POST', `documents/${row.id}/download`);
    beacon.send('download', { document: row.id });
    window.open(url, '_blank', 'noopener');
  };
  replace(box, h('h2', { class: 'heading' }, 'Documents'), table('Documents', [
    ['Name', (row) => row.name], ['Date', (row) => day(row.created)], ['Kind', (row) => plain(row.purpose)],
  ], found.data, { open, empty: 'No documents yet.' }));
}
