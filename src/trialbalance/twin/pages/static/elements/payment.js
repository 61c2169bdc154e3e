// The Payment Element: every way to pay for one intent, in one frame.

import { Address, ELEMENTS as ADDRESS } from '../ui/address.js';
import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { brandTitle } from '../ui/card.js';
import { CardFields, ELEMENTS as CARD } from '../ui/cardfields.js';
import { h, replace } from '../ui/dom.js';
import { hash } from '../ui/hosts.js';
import { brandMark, icon } from '../ui/icons.js';
import { loadWords } from '../ui/language.js';
import { methodOf } from '../ui/methods.js';
import { OtherFields } from '../ui/otherfields.js';
import { setNow } from '../ui/time.js';
import { applyAppearance } from './appearance.js';
import { emit, on, ready, reportHeight } from './channel.js';
import { speak, validationError } from './messages.js';
import { sessionParams } from './session.js';
import { Wallet } from '../ui/wallet.js';

const api = new Api({ key: hash.apiKey, account: hash.account, page: 'elements' });
const beacon = new Beacon('elements');
const root = document.getElementById('root');
const id = (name) => `Field-${name}Input`;
const view = { options: {}, group: {}, session: null, words: null, chosen: null, saved: null, parts: {}, last: '' };

function fieldsNever(...path) {
  let rule = view.options.fields?.billingDetails;
  for (const step of path) {
    if (rule === 'never') return true;
    rule = rule?.[step];
  }
  return rule === 'never';
}

const country = () => view.options.defaultValues?.billingDetails?.address?.country ?? (new Intl.Locale(navigator.language).maximize().region || 'US');

function layout() {
  const given = view.options.layout ?? 'tabs';
  return typeof given === 'string' ? { type: given === 'auto' ? 'tabs' : given } : { ...given, type: given.type === 'auto' ? 'tabs' : given.type };
}

async function load() {
  let session;
  try {
    session = await api.call('GET', '/v1/elements/sessions', sessionParams(view.group));
  } catch (problem) {
    emit('loaderror', { error: problem.error ?? { type: 'api_error', message: 'The element could not be loaded.' } });
    return false;
  }
  view.session = session;
  setNow(session.now);
  view.words = await loadWords(view.group.locale ?? 'auto');
  speak(view.words);
  return true;
}

function types() {
  const order = view.options.paymentMethodOrder ?? [];
  const given = view.session.payment_method_types.filter((type) => type !== 'link');
  return [...order.filter((type) => given.includes(type)), ...given.filter((type) => !order.includes(type))];
}

function build() {
  const { words, session } = view;
  view.parts = {};
  for (const type of types()) view.parts[type] = type === 'card' ? cardPart() : otherPart(type);
  const collapsed = layout().defaultCollapsed ?? false;
  const saved = (session.customer?.payment_methods ?? session.payment_methods ?? []);
  view.saved = saved[0]?.id ?? null;
  view.chosen = collapsed || view.saved ? null : types()[0];
  view.wallet = new Wallet({ api, words, allowed: session.link.enabled && view.options.wallets?.link !== 'never', changed: look, email: view.options.defaultValues?.billingDetails?.email ?? '' });
  view.wallet.redraw = draw;
  draw();
}

function cardPart() {
  const { words, session, options } = view;
  const card = new CardFields(words, { names: CARD, spaced: true, id, onedit: look });
  const skip = [...(fieldsNever('address', 'country') ? ['country'] : []), ...(fieldsNever('address', 'postalCode') ? ['postal_code'] : [])];
  const address = fieldsNever('address') ? null : new Address({ names: ADDRESS, kind: 'billing', words, country: country(), full: false, spaced: true, id, onedit: look, skip });
  const billing = options.defaultValues?.billingDetails ?? {};
  if (address && billing.address) address.fill(billing.address);
  const named = options.fields?.billingDetails?.name === 'always';
  const more = named ? new OtherFields({ type: 'card', title: '', fields: ['name'], banks: [], after: null }, words, { id, onedit: look }) : null;
  if (more && billing.name) more.fields[0].value = billing.name;
  const save = session.customer?.can_save ? h('input', { type: 'checkbox', id: 'payment-saveInput', class: 'CheckboxInput' }) : null;
  const reuse = session.mode !== 'payment' || session.setup_future_usage;
  const terms = view.options.terms?.card;
  const term = terms === 'always' || (terms !== 'never' && reuse) ? h('p', { class: 'terms TermsText' }, words.say('cardTerms', { merchant: options.business?.name ?? session.account.display_name })) : null;
  const body = h('div', { class: 'payment' }, more?.element, card.element, address?.element,
    save ? h('label', { class: 'choice CheckboxLabel', for: 'payment-saveInput' }, save, h('span', {}, words.say('saveForLater'))) : null, term);
  return {
    title: words.say('card'), body, save,
    validate: () => [...(more?.validate() ?? []), ...card.validate(), ...(address?.validate() ?? [])],
    complete: () => card.fields.every((f) => f.check() === null) && (!address || address.fields.every((f) => f.element.hidden || f.check(f.value) === null)) && (!more || more.complete()),
    empty: () => card.fields.every((f) => !f.value),
    read: () => ({ type: 'card', card: card.read(), billing_details: { ...(more ? more.read().billing_details : {}), ...(address ? { address: address.read() } : {}) } }),
    refuse: (error) => card.refuse(error),
    focus: () => card.number.focus(),
  };
}

function otherPart(type) {
  const { words, session } = view;
  const method = methodOf(type);
  const skip = method.fields.filter((field) => ['name', 'email', 'address'].includes(field) && fieldsNever(field));
  const fields = new OtherFields(method, words, { country: country(), skip, id, onedit: look, mandate: session.account.display_name });
  const billing = view.options.defaultValues?.billingDetails ?? {};
  for (const field of fields.fields) if (billing[field.part]) field.value = billing[field.part];
  return {
    title: method.title, body: fields.element, save: null, validate: () => fields.validate(), complete: () => fields.complete(), empty: () => fields.empty(), read: () => fields.read(),
    refuse: () => null, focus: () => fields.fields[0]?.focus(),
  };
}

function draw() {
  const kind = layout();
  const list = types();
  const saved = view.session.customer?.payment_methods ?? view.session.payment_methods ?? [];
  const blocks = [];
  if (view.wallet.element) blocks.push(view.wallet.element);
  if (!view.wallet.active) {
    if (saved.length) blocks.push(savedList(saved));
    if (kind.type === 'accordion') blocks.push(accordion(list, kind));
    else {
      if (list.length > 1 || saved.length) blocks.push(tabs(list));
      if (view.chosen) blocks.push(h('div', { class: 'panel', id: 'payment-panel', role: list.length > 1 ? 'tabpanel' : null, 'aria-labelledby': list.length > 1 ? `${view.chosen}-tab` : null }, view.parts[view.chosen].body));
    }
    if (view.chosen === 'card' && view.wallet.optin) blocks.push(view.wallet.optin);
  }
  replace(root, h('form', { class: 'payment', novalidate: true, onsubmit: submitted, autocomplete: 'on' }, blocks, h('input', { type: 'submit', class: 'visually-hidden', tabindex: -1, 'aria-hidden': 'true' })));
  disable();
  look();
}

function submitted(event) {
  event.preventDefault();
  emit('submit');
}

function choose(type) {
  view.chosen = type;
  view.saved = null;
  draw();
  beacon.send('edit', { element: 'payment', field: 'type', value: type });
}

function tabs(list) {
  const row = h('div', { class: 'tabs', role: 'tablist', 'aria-label': view.words.say('paymentMethod') }, list.map((type) =>
    h('button', {
      type: 'button', role: 'tab', id: `${type}-tab`, class: `Tab ${view.chosen === type ? 'Tab--selected' : ''}`, 'aria-selected': String(view.chosen === type),
      'aria-controls': view.chosen === type ? 'payment-panel' : null, 'data-testid': type, 'data-value': type, tabindex: view.chosen === type || (!view.chosen && type === list[0]) ? 0 : -1,
      onclick: () => choose(type),
      onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        choose(list[(list.indexOf(type) + step + list.length) % list.length]);
        document.getElementById(`${view.chosen}-tab`).focus();
      },
    }, h('span', { class: 'TabIcon' }, icon(type === 'card' ? 'card' : 'bank')), h('span', { class: 'TabLabel' }, view.parts[type].title))));
  return row;
}

function accordion(list, kind) {
  const radios = kind.radios === true || kind.radios === 'always' || ((kind.radios ?? 'auto') !== 'never' && kind.radios !== false && list.length > 1);
  return h('div', { class: `accordion ${kind.spacedAccordionItems ? 'spaced' : ''}` }, list.map((type) => {
    const open = view.chosen === type;
    return h('div', { class: `AccordionItem ${open ? 'AccordionItem--selected' : ''}`, 'data-testid': `${type}-accordion-item` },
      h('button', { type: 'button', id: `${type}-tab`, 'aria-expanded': String(open), 'data-testid': type, 'data-value': type, onclick: () => choose(type) },
        radios ? h('span', { class: 'RadioIcon', 'aria-hidden': 'true' }) : null, icon(type === 'card' ? 'card' : 'bank'), h('span', {}, view.parts[type].title)),
      open ? h('div', { class: 'body' }, view.parts[type].body) : null);
  }));
}

function savedList(saved) {
  const { words, session } = view;
  return h('div', { role: 'radiogroup', 'aria-label': words.say('paymentMethod'), 'data-testid': 'saved-methods' }, saved.map((method) => {
    const { brand, last4, exp_month: month, exp_year: year } = method.card;
    return h('label', { class: 'saved' },
      h('input', { type: 'radio', name: 'saved', value: method.id, checked: view.saved === method.id, onchange: () => { view.saved = method.id; view.chosen = null; draw(); } }),
      brandMark(brand), h('span', {}, words.say('savedCard', { brand: brandTitle(brand), last4 }), ' · ', words.say('savedExpires', { month: String(month).padStart(2, '0'), year })),
      session.customer?.can_remove ? h('button', { type: 'button', class: 'link-button', onclick: () => removeSaved(method) }, words.say('remove')) : null);
  }));
}

async function removeSaved(method) {
  try {
    await api.call('POST', `/v1/elements/payment_methods/${method.id}/detach`, { customer_session_client_secret: view.group.customerSessionClientSecret });
    view.session.customer.payment_methods = view.session.customer.payment_methods.filter((kept) => kept.id !== method.id);
    if (view.saved === method.id) {
      view.saved = null;
      view.chosen = types()[0];
    }
    emit('savedpaymentmethodremove', { success: true, payment_method: { id: method.id } });
    draw();
  } catch (problem) {
    emit('savedpaymentmethodremove', { success: false, error: problem.error?.message });
  }
}

function disable() {
  for (const control of root.querySelectorAll('input, select, button')) control.disabled = Boolean(view.options.readOnly);
}

function look() {
  if (!view.session) return;
  const part = view.parts[view.chosen];
  const wallet = view.wallet.active;
  const type = wallet ? 'link' : view.saved ? 'card' : view.chosen ?? '';
  const value = { type };
  if (view.saved) value.payment_method = { id: view.saved, type: 'card', ...(view.session.customer?.payment_methods ?? []).find((m) => m.id === view.saved) };
  const change = {
    elementType: 'payment',
    collapsed: !view.chosen && !view.saved && !wallet,
    complete: wallet ? view.wallet.complete() : view.saved ? true : Boolean(part?.complete()),
    empty: wallet || view.saved ? false : part ? part.empty() : true,
    value,
  };
  const text = JSON.stringify(change);
  if (text === view.last) return;
  view.last = text;
  emit('change', change);
}

function check() {
  if (view.wallet.active) {
    if (!view.wallet.complete()) throw { error: { type: 'validation_error', code: 'incomplete_link', message: 'Choose a card of the wallet.' } };
    return 'link';
  }
  if (view.saved) return 'card';
  const part = view.parts[view.chosen];
  if (!part) throw { error: { type: 'validation_error', code: 'incomplete_payment_details', message: 'Please provide complete payment details.' } };
  const wrong = part.validate();
  if (wrong.length) {
    wrong[0].focus();
    const names = { number: 'incomplete_number', expiry: 'incomplete_expiry', cvc: 'incomplete_cvc', postalCode: 'incomplete_zip' };
    const { name, message, value } = wrong[0];
    beacon.send('validation', { element: 'payment', fields: wrong.map((field) => field.name) });
    const code = value && name === 'number' && message !== view.words.say('missing') ? (value.replace(/\D/g, '').length >= 14 ? 'invalid_number' : 'incomplete_number') : names[name] ?? `incomplete_${name}`;
    throw { error: names[name] ? validationError(code) : { type: 'validation_error', code, message } };
  }
  look();
  return view.chosen;
}

// The payment method as parameters; the merchant's own billing details fill what the element did not ask.
async function describe(billing = {}) {
  const filled = view.parts[view.chosen].read();
  const merged = { ...(view.options.defaultValues?.billingDetails ?? {}), ...view.group.email, ...billing, ...filled.billing_details };
  merged.address = { ...(view.options.defaultValues?.billingDetails?.address ?? {}), ...(billing.address ?? {}), ...(filled.billing_details.address ?? {}) };
  if (!Object.keys(merged.address).length) delete merged.address;
  const out = { ...filled, billing_details: merged };
  delete out.options;
  return { params: out, options: filled.options ?? {} };
}

on('init', async (payload) => {
  view.options = payload.options;
  view.group = payload;
  beacon.session = payload.elements?.clientSecret?.split('_secret_')[0] ?? null;
  applyAppearance(payload.appearance);
  emit('loaderstart', {});
  if (!(await load())) return;
  build();
  emit('ready');
  beacon.send('load', { element: 'payment', types: types() });
});
on('shared', async (payload) => {
  const before = JSON.stringify(sessionParams(view.group));
  Object.assign(view.group, payload);
  applyAppearance(view.group.appearance);
  if (JSON.stringify(sessionParams(view.group)) !== before && (await load())) build();
  emit('updated');
});
on('update', ({ options }) => {
  Object.assign(view.options, options);
  if (view.session) build();
});
on('email', ({ email, wallet }) => {
  view.group.email = email ? { email } : {};
  view.wallet?.enter(email, wallet);
});
on('collapse', () => {
  view.chosen = null;
  draw();
});
on('focus', () => (view.chosen ? view.parts[view.chosen].focus() : root.querySelector('button, input')?.focus()));
on('blur', () => document.activeElement?.blur());
on('clear', () => view.session && build());
on('submitElements', () => ({ selectedPaymentMethod: check() }));
on('createPaymentMethod', async ({ billing_details: billing, metadata, saving }) => {
  check();
  if (view.wallet.active) return { ...(await view.wallet.share(view.session.link.own_type)), _element: {} };
  if (view.saved) return { id: view.saved, _element: { saved: true } };
  const { params, options } = await describe(billing);
  const part = view.parts[view.chosen];
  const save = part.save?.checked;
  const redisplay = saving?.allow_redisplay ?? (part.save ? (save ? 'always' : 'limited') : undefined);
  const made = await api.call('POST', '/v1/payment_methods', { ...params, metadata, allow_redisplay: redisplay });
  if (made.type === 'us_bank_account') await api.call('POST', '/v1/elements/link_bank_account', { payment_method: made.id });
  await view.wallet.signUp(made, params.billing_details);
  return { ...made, _element: { options: Object.keys(options).length ? { [params.type]: options } : undefined, save: save ? (view.session.customer.save_usage ?? 'on_session') : undefined } };
});
on('createConfirmationToken', async ({ params: given }) => {
  check();
  const common = { return_url: given?.return_url, shipping: given?.shipping, setup_future_usage: given?.setup_future_usage ?? view.session.setup_future_usage ?? undefined };
  if (view.wallet.active) return api.call('POST', '/v1/confirmation_tokens', { ...common, payment_method: (await view.wallet.share(view.session.link.own_type)).id });
  if (view.saved) return api.call('POST', '/v1/confirmation_tokens', { ...common, payment_method: view.saved });
  const { params } = await describe(given?.payment_method_data?.billing_details);
  const save = view.parts[view.chosen].save?.checked;
  return api.call('POST', '/v1/confirmation_tokens', {
    ...common, setup_future_usage: common.setup_future_usage ?? (save ? (view.session.customer.save_usage ?? 'on_session') : undefined),
    payment_method_data: { ...params, allow_redisplay: save ? 'always' : undefined },
  });
});
on('refused', ({ error }) => {
  const field = view.parts[view.chosen]?.refuse(error);
  field?.focus();
});

let focused = false;
root.addEventListener('focusin', () => {
  if (!focused) emit('focus', { elementType: 'payment' });
  focused = true;
});
root.addEventListener('focusout', () => setTimeout(() => {
  if (!focused || root.contains(document.activeElement)) return;
  focused = false;
  emit('blur', { elementType: 'payment' });
}));
root.addEventListener('keydown', (event) => event.key === 'Escape' && emit('escape'));
root.addEventListener('change', (event) => event.target.name && beacon.send('edit', { element: 'payment', field: event.target.name }));

reportHeight(root);
ready();
