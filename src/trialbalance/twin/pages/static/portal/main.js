// The customer portal: subscriptions, payment methods, details and invoices of one customer.

import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { h, replace } from '../ui/dom.js';
import { note } from '../ui/hosts.js';
import { icon } from '../ui/icons.js';
import { loadWords } from '../ui/language.js';
import { setNow } from '../ui/time.js';
import { cancelView, pauseView, switchView } from './changes.js';
import { customerView, methodView } from './details.js';
import { home } from './home.js';
import { tell } from './message.js';

const api = new Api({ key: note.key, account: note.account, page: 'portal' });
const beacon = new Beacon('portal', note.session);
const root = document.getElementById('root');
const path = `/v1/billing_portal/pages/${note.token}`;

beacon.watch(document.getElementById('root'));

// What the views share: the page's data, words, calls, and moving between views.
const portal = {
  api, beacon, page: null, words: null,
  async ask(suffix, params = {}) {
    const answer = await api.call('POST', `${path}${suffix}`, params);
    if (answer.object === 'portal_page') portal.take(answer);
    return answer;
  },
  take(page) {
    portal.page = page;
    setNow(page.now);
  },
  // Runs a change; shows what was refused, else goes on.
  async change(event, suffix, params, after, message) {
    try {
      await portal.ask(suffix, params);
      await beacon.send(event, params);
      after();
    } catch (problem) {
      beacon.send('refused', { event, code: problem.error?.code });
      tell(message, problem.error?.message ?? portal.words.say('something'));
    }
  },
  show(view, ...rest) {
    const made = { home, cancel: cancelView, pause: pauseView, switch: switchView, method: methodView, customer: customerView, done }[view](portal, ...rest);
    replace(root, frame(made, view !== 'home'));
    root.querySelector('h1')?.focus();
    window.scrollTo(0, 0);
  },
  // After a flow that the merchant linked to directly: a redirect, a confirmation, or the portal itself.
  finish() {
    const after = portal.page.flow?.after_completion;
    if (after?.type === 'redirect') window.location.assign(after.redirect.return_url);
    else if (after?.type === 'hosted_confirmation') portal.show('done', after.hosted_confirmation?.custom_message);
    else portal.show('home');
  },
};

function frame(content, inner) {
  const { page, words } = portal;
  const merchant = page.account.display_name;
  return h('div', { class: 'portal' },
    h('aside', { class: 'portal-side' }, h('p', { class: 'merchant-name' }, merchant), h('p', { class: 'soft' }, page.headline ?? words.say('portalHeadline', { merchant })),
      h('a', { class: 'back', href: page.return_url ?? page.account.url, hidden: !(page.return_url ?? page.account.url), 'data-testid': 'return-to-business-link' }, icon('back'), words.say('returnTo', { merchant })),
      h('p', { class: 'foot' }, h('span', {}, words.say('noMoney')), link(page.terms_url, 'terms'), link(page.privacy_url, 'privacy'))),
    h('main', { class: 'portal-main' }, inner && !page.flow ? h('button', { type: 'button', class: 'link-button', onclick: () => portal.show('home') }, words.say('back')) : null, content));
}

const link = (url, key) => (url ? h('a', { href: url, target: '_blank', rel: 'noopener' }, portal.words.say(key)) : null);

function done(_, text) {
  const { words, page } = portal;
  return h('section', { class: 'section', 'data-testid': 'state-done' }, h('h1', { tabindex: -1 }, words.say('allSet')), text ? h('p', {}, text) : null,
    page.return_url ? h('a', { class: 'button', href: page.return_url }, words.say('returnTo', { merchant: page.account.display_name })) : null);
}

function start() {
  const { flow } = portal.page;
  const find = (id) => portal.page.subscriptions.find((found) => found.id === id);
  if (!flow) portal.show('home');
  else if (flow.type === 'payment_method_update') portal.show('method');
  else if (flow.type === 'customer_update') portal.show('customer');
  else if (flow.type === 'subscription_cancel') portal.show('cancel', find(flow.subscription_cancel.subscription));
  else if (flow.type === 'subscription_pause') portal.show('pause', find(flow.subscription_pause.subscription));
  else if (flow.type === 'subscription_update') portal.show('switch', find(flow.subscription_update.subscription));
  else if (flow.type === 'subscription_update_confirm') portal.show('switch', find(flow.subscription_update_confirm.subscription), flow.subscription_update_confirm.items);
  else portal.show('home');
}

// The link has expired, and the merchant lets customers ask for another by e-mail.
function expired(words) {
  const text = h('p', { class: 'soft' }, words.say('linkExpired'));
  const message = h('div', { hidden: true });
  const send = async () => {
    try {
      await api.call('POST', `${path}/login`);
      beacon.send('link_requested');
      button.remove();
      text.textContent = words.say('checkMail');
    } catch (problem) {
      tell(message, problem.error?.message ?? words.say('something'));
    }
  };
  const button = h('button', { type: 'button', class: 'button primary', onclick: send }, words.say('sendLink'));
  replace(root, h('main', { class: 'sheet-page' }, h('div', { class: 'sheet narrow', 'data-testid': 'state-expired' }, h('h1', {}, words.say('logIn')), h('div', { role: 'status' }, text), message, button)));
}

try {
  portal.take(await api.call('GET', path));
  portal.words = await loadWords(portal.page.locale ?? 'auto');
  document.documentElement.lang = portal.words.locale;
  document.title = portal.page.account.display_name;
  start();
  beacon.send('load', { flow: portal.page.flow?.type });
} catch (problem) {
  const words = await loadWords('auto');
  beacon.send('load_failed', { code: problem.error?.code });
  if (problem.error?.code === 'portal_session_expired') expired(words);
  else replace(root, h('main', { class: 'sheet-page' }, h('div', { class: 'sheet narrow', 'data-testid': 'state-missing' }, h('h1', {}, words.say('missingPage')), h('p', { class: 'soft' }, words.say('missingPageText')))));
}
