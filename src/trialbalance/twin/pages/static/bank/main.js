// The test bank's page: the customer says yes or no. In a frame it tells the frame around it; on its own it goes back.

import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { h, replace } from '../ui/dom.js';
import { note } from '../ui/hosts.js';
import { icon } from '../ui/icons.js';
import { money } from '../ui/money.js';

const api = new Api({ key: note.key, account: note.account, page: 'bank' });
const beacon = new Beacon('bank', note.intent);
const root = document.getElementById('root');
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
    draw(h('h1', {}, 'This request is over'), h('p', {}, problem.error?.message ?? 'Close this page and try again.'));
  }
  await beacon.send('answer', { outcome });
  if (window.parent !== window) window.parent.postMessage({ bank: 'over', outcome }, '*');
  else if (result.redirect_url) window.location.assign(result.redirect_url);
  else draw(h('h1', {}, outcome === 'succeeded' ? 'Confirmed' : 'Declined'), h('p', {}, 'You can close this page.'));
}

async function open() {
  let intent;
  try {
    intent = await api.call('GET', `/v1/${collection}/${note.intent}`, { client_secret: note.secret });
  } catch {
    draw(h('h1', {}, 'This request does not exist'), h('p', {}, 'The link is wrong or too old.'));
    return;
  }
  const what = intent.amount ? money(intent.amount, intent.currency, navigator.language) : null;
  const card = note.page === 'redirect';
  const yes = h('button', { class: 'button primary', type: 'button', id: card ? 'authorize-test-payment' : 'test-source-authorize-3ds', onclick: () => answer('succeeded', [yes, no]) }, card ? `Authorize Test ${intent.amount ? 'Payment' : 'Setup'}` : 'Complete');
  const no = h('button', { class: 'button', type: 'button', id: card ? 'fail-test-payment' : 'test-source-fail-3ds', onclick: () => answer('failed', [yes, no]) }, card ? `Fail Test ${intent.amount ? 'Payment' : 'Setup'}` : 'Fail');
  draw(
    h('h1', {}, card ? 'Confirm with your payment provider' : 'Confirm with your bank'),
    what ? h('p', { class: 'sum' }, what) : null,
    h('p', {}, 'This is the page of a test bank. Complete the request as the customer would, or let it fail to see how the shop copes.'),
    h('div', { class: 'actions' }, yes, no),
    h('p', { class: 'fine' }, 'Test mode: no real money moves.'),
  );
  beacon.send('load', { page: note.page });
}

await open();
