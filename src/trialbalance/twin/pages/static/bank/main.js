// The test bank's page: the customer says yes or no. In a frame it tells the frame around it; on its own it goes back.

import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { h, replace } from '../ui/dom.js';
import { note } from '../ui/hosts.js';
import { icon } from '../ui/icons.js';
import { loadWords } from '../ui/language.js';

const api = new Api({ key: note.key, account: note.account, page: 'bank' });
const beacon = new Beacon('bank', note.intent);
const root = document.getElementById('root');
const words = await loadWords(note.locale ?? 'auto');
document.documentElement.lang = words.locale;
const collection = note.kind === 'setup_intent' ? 'setup_intents' : 'payment_intents';

function draw(...children) {
  replace(root, h('main', { class: 'bank' }, h('div', { class: 'crest', 'aria-hidden': 'true' }, icon('bank')), ...children));
}

async function answer(outcome, buttons) {
  for (const button of buttons) button.disabled = true;
  let result;
  try {
    result = await api.call('POST', '/v1/3ds2/challenge_complete', { source: note.source, client_secret: note.secret, outcome });
  } catch (problem) {
    result = { redirect_url: null };
    draw(h('h1', {}, words.say('bankOver')), h('p', {}, problem.error?.message ?? words.say('closeAndRetry')));
  }
  await beacon.send('answer', { outcome });
  if (window.parent !== window) window.parent.postMessage({ bank: 'over', outcome }, '*');
  else if (result.redirect_url) window.location.assign(result.redirect_url);
  else draw(h('h1', {}, words.say(outcome === 'succeeded' ? 'confirmed' : 'declined')), h('p', {}, words.say('closePage')));
}

async function open() {
  let intent;
  try {
    intent = await api.call('GET', `/v1/${collection}/${note.intent}`, { client_secret: note.secret });
  } catch {
    draw(h('h1', {}, words.say('bankMissing')), h('p', {}, words.say('bankMissingText')));
    return;
  }
  const what = intent.amount ? words.money(intent.amount, intent.currency) : null;
  const card = note.page === 'redirect';
  const yes = h('button', { class: 'button primary', type: 'button', id: card ? 'authorize-test-payment' : 'test-source-authorize-3ds', onclick: () => answer('succeeded', [yes, no]) }, words.say(card ? `authorize${intent.amount ? 'Payment' : 'Setup'}` : 'bankComplete'));
  const no = h('button', { class: 'button', type: 'button', id: card ? 'fail-test-payment' : 'test-source-fail-3ds', onclick: () => answer('failed', [yes, no]) }, words.say(card ? `fail${intent.amount ? 'Payment' : 'Setup'}` : 'bankFail'));
  draw(
    h('h1', {}, words.say(card ? 'providerTitle' : 'bankTitle')),
    what ? h('p', { class: 'sum' }, what) : null,
    h('p', {}, words.say('bankText')),
    h('div', { class: 'actions' }, yes, no),
    h('p', { class: 'fine' }, words.say('noMoney')),
  );
  beacon.send('load', { page: note.page });
}

await open();
