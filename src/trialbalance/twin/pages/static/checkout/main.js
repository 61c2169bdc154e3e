// The Checkout page: hosted on its own, or embedded in a frame of the merchant's page.

import { Api, ApiError } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { h, replace } from '../ui/dom.js';
import { hash, note } from '../ui/hosts.js';
import { setNow } from '../ui/time.js';
import { loadWords } from '../ui/language.js';
import { localized } from '../ui/errors.js';
import { dress } from './brand.js';
import { challenge, instruct, leaving } from '../ui/challenge.js';
import { Form } from './form.js';
import { ShippingRelay } from './relay.js';
import { footer, notice, skeleton } from './states.js';
import { Summary } from './summary.js';

const embedded = document.body.classList.contains('embedded');
const secret = embedded ? hash.clientSecret : undefined;
let session = embedded ? (secret ?? '').split('_secret_')[0] : note.session;
const api = new Api({ key: embedded ? hash.apiKey : note.key, account: embedded ? hash.account : note.account, page: 'checkout' });
const beacon = new Beacon('checkout', session);
const root = document.getElementById('root');
const path = () => `/v1/payment_pages/${session}`;
const channel = embedded ? await import('../elements/channel.js') : null;
const country = (() => {
  const region = new Intl.Locale(navigator.language).maximize().region;
  return region && region !== '001' ? region : 'US';
})();

let page;
let words;
let summary;
let form;
let working = false;
let relay = null;
let changes = Promise.resolve();

async function ask(method, suffix, params = {}) {
  const answer = await api.call(method, `${path()}${suffix}`, { ...params, client_secret: secret });
  setNow(answer.now);
  return answer;
}

function draw(next) {
  const before = page;
  page = next;
  summary.draw(page);
  form.draw(page);
  if (channel && before && JSON.stringify(before.line_items) !== JSON.stringify(page.line_items)) channel.emit('lineItemsShown', {});
}

// A change the customer makes to the order; resolves to a message when it was refused. Changes go one after the other:
// an answer that came late would show the order as it was.
function change(params, event, detail = {}) {
  const next = () => changeNow(params, event, detail);
  changes = changes.then(next, next);
  return changes;
}

async function changeNow(params, event, detail) {
  try {
    draw(await ask('POST', '', params));
    beacon.send(event, { ...detail, outcome: 'ok' });
    return null;
  } catch (problem) {
    const message = text(problem);
    beacon.send(event, { ...detail, outcome: 'refused', code: problem.error?.code });
    if (problem.error?.code?.startsWith('checkout_session_')) await open();
    return message;
  }
}

function text(problem) {
  if (!(problem instanceof ApiError)) return words.say('something');
  if (problem.error.type === 'api_connection_error') return words.say('connection');
  if (problem.error.code === 'checkout_amount_mismatch') return words.say('changed');
  return localized(problem.error, words).message;
}

const act = {
  async quantity(line, quantity) {
    const message = await change({ line_items: [{ id: line.id, quantity }] }, 'quantity', { quantity });
    if (message) form.tell(message);
  },
  async amount(line, amount) {
    const message = await change({ line_items: [{ id: line.id, amount }] }, 'amount', { amount });
    if (message) form.tell(message);
  },
  async optional(item, quantity) {
    const message = await change({ optional_items: [{ price: item.price.id, quantity }] }, 'optional_item', { quantity });
    if (message) form.tell(message);
  },
  async crossSell(item, quantity) {
    const message = await change({ cross_sell: { product: item.product.id, quantity } }, 'cross_sell', { product: item.product.id, quantity });
    if (message) form.tell(message);
  },
  async upsell(chosen) {
    const message = await change({ upsell: chosen }, 'upsell', { chosen });
    if (message) form.tell(message);
  },
  promotion: (code) => change({ promotion_code: code }, code ? 'promotion_code' : 'promotion_code_removed', { code }),
  removeMethod: (id) => ask('POST', '/forget', { payment_method: id }),
  async shippingRate(rate) {
    const message = await change({ shipping_rate: rate }, 'shipping_rate', { rate });
    if (message) form.tell(message);
  },
  async changed() {
    if (relay && form.shipping?.complete()) await tellServer();
    if (page.automatic_tax.enabled) await change(form.read(), 'address');
  },
  submit,
};

// The merchant's server hears of the shipping details; says whether it took them.
async function tellServer() {
  const message = await relay.tell(form.shippingDetails());
  form.tell(message);
  beacon.send('shipping_details', { outcome: message ? 'refused' : 'ok' });
  if (!message) draw(await ask('GET', ''));
  return !message;
}

async function submit() {
  if (working) return;
  form.tell(null);
  const wrong = [...summary.validate(), ...form.validate()];
  wrong[0]?.focus();
  if (wrong.length) {
    beacon.send('validation', { fields: wrong.map((field) => field.name) });
    return;
  }
  working = true;
  form.label('working');
  if (relay && form.shipping && !(await tellServer())) {
    working = false;
    form.label();
    return;
  }
  await changes;
  beacon.send('submit', { amount: page.amount_total, currency: page.currency });
  try {
    const filled = form.read();
    const method = await form.payment.method(filled.customer_details.email ?? page.customer_details?.email, filled.customer_details.phone);
    let next = await ask('POST', '/confirm', {
      ...filled, payment_method: method ?? undefined, payment_method_options: form.payment.options,
      save_payment_method: form.payment.saving(), return_url: form.payment.other() ? cameFrom() : undefined,
      expected_amount: page.mode === 'setup' ? undefined : page.amount_total, browser_locale: navigator.language,
    });
    next = await answerBank(next);
    await finish(next);
  } catch (problem) {
    working = false;
    form.label();
    await refused(problem);
  }
}

// Where a payment method that leads away brings the customer back to.
function cameFrom() {
  if (!embedded) return location.href.split('#')[0].split('?')[0];
  return (page.return_url ?? document.referrer).replace('{CHECKOUT_SESSION_ID}', session);
}

// The bank wants to hear from the customer: show its page, then look at the session again.
async function answerBank(next) {
  const intent = next.payment_intent ?? next.setup_intent;
  const action = intent?.next_action;
  if (intent?.status !== 'requires_action' || (next.status === 'complete' && !/_display_/.test(action.type))) return next;
  beacon.send('challenge', { type: action.type });
  const away = leaving(action);
  if (away) {
    if (embedded) channel.emit('redirect', { url: away });
    else window.location.assign(away);
    return new Promise(() => {});
  }
  if (/_display_(details|qr_code)$|display_bank_transfer/.test(action.type)) await instruct(intent, api);
  else await challenge(intent, api);
  const after = await ask('GET', '');
  const now = after.payment_intent ?? after.setup_intent;
  beacon.send('challenge_done', { status: now?.status });
  if (after.status === 'complete') return after;
  throw new ApiError(now?.last_error ?? { type: 'api_error', message: words.say('unfinished') }, 402);
}

async function refused(problem) {
  const error = problem.error ?? {};
  beacon.send('refused', { code: error.code, decline_code: error.decline_code, type: error.type });
  if (error.code === 'checkout_amount_mismatch') draw(await ask('GET', ''));
  if (error.code?.startsWith('checkout_session_')) {
    await open();
    return;
  }
  const field = error.type === 'card_error' && form.payment.newCard() ? form.payment.card.refuse(localized(error, words)) : null;
  if (field) field.focus();
  else {
    form.tell(text(problem));
    form.message.scrollIntoView({ block: 'nearest' });
  }
}

async function finish(next) {
  page = next;
  form.label('done');
  await beacon.send('complete', { payment_status: next.payment_status, redirect: Boolean(next.redirect) });
  const stay = !next.redirect || (embedded && next.redirect_on_completion !== 'always');
  if (stay) {
    notice(root, 'done', words, page, next.confirmation);
    channel?.emit('complete', {});
  } else if (embedded) channel.emit('redirect', { url: next.redirect });
  else window.location.assign(next.redirect);
}

// A session's own page, or a link that opens a session for whoever follows it.
async function enter() {
  if (session) return ask('POST', '/init', { browser_locale: navigator.language });
  const query = new URLSearchParams(location.search);
  const given = Object.fromEntries(['client_reference_id', 'locale', 'prefilled_email', 'prefilled_promo_code'].map((name) => [name, query.get(name) ?? undefined]));
  const opened = note.link
    ? await api.call('POST', `/v1/payment_link_pages/${note.link}`, { ...given, browser_locale: navigator.language })
    : await api.call('POST', `/v1/checkout_recoveries/${note.recovery}`, { browser_locale: navigator.language });
  session = opened.id;
  beacon.session = session;
  setNow(opened.now);
  return opened;
}

async function open() {
  let next;
  try {
    next = await enter();
  } catch (problem) {
    words ??= await loadWords('auto');
    const kind = problem.error?.code === 'payment_link_inactive' ? 'inactive' : problem.status === 404 ? 'missing' : 'broken';
    notice(root, kind, words, null, problem.error?.message);
    beacon.send('load_failed', { code: problem.error?.code });
    return;
  }
  page = next;
  words = await loadWords(page.locale ?? 'auto');
  document.documentElement.lang = words.locale;
  document.title = page.account.display_name;
  dress(page.branding_settings);
  const came = new URLSearchParams(location.search).get('redirect_status');
  if (page.status === 'complete' && came && page.redirect) {
    await beacon.send('complete', { payment_status: page.payment_status, redirect: true });
    window.location.replace(page.redirect);
    return;
  }
  if (page.status !== 'open') {
    notice(root, page.status === 'complete' ? 'already' : 'expired', words, page);
    beacon.send('closed', { status: page.status });
    return;
  }
  summary = new Summary(words, act);
  form = new Form(page, words, act, country, api);
  if (channel && page.permissions?.update_shipping_details === 'server_only') relay = new ShippingRelay(channel, page.id);
  summary.draw(page);
  replace(root, h('div', { class: 'page' },
    h('aside', { class: 'side' }, h('div', { class: 'side-inner-wrap' }, summary.element, footer(page, words, 'in-side'))),
    h('main', { class: 'main' }, h('div', { class: 'main-inner' }, form.element, footer(page, words, 'in-main')))));
  watch();
  if (came === 'failed') form.tell(page.payment_intent?.last_error?.message ?? words.say('something'));
  await beacon.send('load', { ui_mode: page.ui_mode, mode: page.mode, amount: page.amount_total, currency: page.currency });
}

// Which fields were filled in, by name; what was typed stays here.
function watch() {
  form.element.addEventListener('change', (event) => {
    const { name, type } = event.target;
    if (name) beacon.send('edit', { field: name, ...(type === 'checkbox' ? { checked: event.target.checked } : {}) });
  });
}

replace(root, skeleton());
if (channel) {
  channel.on('init', () => null);
  channel.reportHeight(root);
  channel.ready();
}
await open();
