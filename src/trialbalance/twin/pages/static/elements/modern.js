// What the elements with an appearance share: words, looks, focus, and their line to the page.

import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { h, replace } from '../ui/dom.js';
import { hash } from '../ui/hosts.js';
import { loadWords } from '../ui/language.js';
import { applyAppearance } from './appearance.js';
import { emit, on, ready, reportHeight } from './channel.js';

export const api = new Api({ key: hash.apiKey, account: hash.account, page: 'elements' });
export const beacon = new Beacon('elements');
export const type = hash.componentName;
export const id = (name) => `Field-${name}Input`;
export const country = () => new Intl.Locale(navigator.language).maximize().region || 'US';

// The intent or session that a group of elements is for, if it is known from the start.
const sessionOf = (payload) => payload.elements?.clientSecret?.split('_secret_')[0] ?? null;

// view: {build({options, group, words}) -> element, shared?(group), focus?(), after?()}
export function modern(view) {
  const root = document.getElementById('root');
  const state = { options: {}, group: {}, words: null };
  const draw = async () => {
    replace(root, h('form', { class: 'payment', novalidate: true, onsubmit: (event) => { event.preventDefault(); emit('submit'); } }, await view.build(state)));
  };
  on('init', async (payload) => {
    state.options = payload.options;
    state.group = payload;
    beacon.session = sessionOf(payload);
    state.words = await loadWords(payload.locale ?? 'auto');
    document.documentElement.lang = state.words.locale;
    applyAppearance(payload.appearance);
    emit('loaderstart', {});
    await draw();
    if (!view.quiet) emit('ready');
    beacon.send('load', { element: type });
  });
  on('shared', async (payload) => {
    Object.assign(state.group, payload);
    applyAppearance(state.group.appearance);
    await view.shared?.(state);
  });
  on('update', async ({ options }) => {
    Object.assign(state.options, options);
    if (view.update) view.update(options, state);
    else await draw();
  });
  on('focus', () => root.querySelector('input, select, button')?.focus());
  on('blur', () => document.activeElement?.blur());
  on('clear', () => draw());
  let focused = false;
  root.addEventListener('focusin', () => {
    if (!focused) emit('focus', { elementType: type });
    focused = true;
  });
  root.addEventListener('focusout', () => setTimeout(() => {
    if (!focused || root.contains(document.activeElement)) return;
    focused = false;
    emit('blur', { elementType: type });
  }));
  root.addEventListener('keydown', (event) => event.key === 'Escape' && emit('escape'));
  root.addEventListener('change', (event) => event.target.name && beacon.send('edit', { element: type, field: event.target.name }));
  reportHeight(root);
  ready();
  return state;
}

let last = '';

// Tells the page of a change, once.
export function changed(change) {
  const text = JSON.stringify(change);
  if (text === last) return;
  last = text;
  emit('change', change);
}
