// Where customers ask for a link to their portal, by e-mail.

import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { h, replace } from '../ui/dom.js';
import { Field } from '../ui/field.js';
import { note } from '../ui/hosts.js';
import { loadWords } from '../ui/language.js';
import { setNow } from '../ui/time.js';
import { tell } from './message.js';

const api = new Api({ key: note.key, account: note.account, page: 'portal_login' });
const beacon = new Beacon('portal_login');
const root = document.getElementById('root');
const path = `/v1/billing_portal/logins/${note.token}`;
const words = await loadWords('auto');
document.documentElement.lang = words.locale;
beacon.watch(root);

const sheet = (id, ...children) => replace(root, h('main', { class: 'sheet-page' }, h('div', { class: 'sheet narrow', 'data-testid': id }, children)));
const link = (url, key) => (url ? h('a', { href: url, target: '_blank', rel: 'noopener' }, words.say(key)) : null);

function form(page) {
  const merchant = page.account.display_name;
  const email = new Field({
    name: 'email', label: words.say('email'), visible: true, words,
    check: (value) => (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? null : words.say('invalidEmail')),
    attributes: { type: 'email', autocomplete: 'email', value: new URLSearchParams(location.search).get('prefilled_email') ?? '' },
  });
  email.element.append(h('div', { role: 'alert' }, email.error));
  const message = h('div', { hidden: true });
  const button = h('button', { type: 'submit', class: 'button primary', 'data-testid': 'confirm' }, words.say('sendLink'));
  const ask = async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    if (!email.validate()) {
      beacon.send('validation', { fields: ['email'] });
      email.focus();
      return;
    }
    button.disabled = true;
    try {
      await api.call('POST', path, { email: email.value });
      beacon.send('link_requested');
      sheet('state-sent', h('h1', { tabindex: -1 }, words.say('checkMail')), h('p', {}, words.say('linkSent', { email: email.value })));
      root.querySelector('h1').focus();
    } catch (problem) {
      button.disabled = false;
      beacon.send('refused', { event: 'link_requested', code: problem.error?.code });
      tell(message, problem.error?.message ?? words.say('something'));
    }
  };
  sheet('login', h('p', { class: 'soft' }, merchant), h('h1', {}, words.say('logIn')), h('p', {}, page.headline ?? words.say('logInText', { merchant })),
    h('form', { class: 'section', novalidate: true, onsubmit: ask }, email.element, message, h('div', { class: 'actions' }, button)),
    h('p', { class: 'foot soft' }, h('span', {}, words.say('noMoney')), ' ', link(page.terms_url, 'terms'), ' ', link(page.privacy_url, 'privacy')));
}

try {
  const page = await api.call('GET', path);
  setNow(page.now);
  document.title = page.account.display_name;
  form(page);
  beacon.send('load');
} catch (problem) {
  beacon.send('load_failed', { code: problem.error?.code });
  sheet('state-missing', h('h1', {}, words.say('missingPage')), h('p', { class: 'soft' }, words.say('missingPageText')));
}
