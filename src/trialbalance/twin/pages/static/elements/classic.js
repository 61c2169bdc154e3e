// What the small classic elements share: one or two fields in a row that look as the page's own `style` says.

import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { h, replace } from '../ui/dom.js';
import { hash } from '../ui/hosts.js';
import { loadWords } from '../ui/language.js';
import { emit, on, ready, reportHeight } from './channel.js';
import { applyStyle } from './style.js';

export const api = new Api({ key: hash.apiKey, account: hash.account, version: hash.version, page: 'elements' });
export const type = hash.componentName;
const beacon = new Beacon('elements');

export function input(name, label, placeholder, attributes = {}) {
  return h('input', {
    class: 'field is-empty', name, 'aria-label': label, placeholder, autocorrect: 'off', autocapitalize: 'off', spellcheck: 'false', type: 'text',
    'aria-invalid': 'false', ...attributes,
  });
}

// view: {fields, row, state(all) -> {error, complete, empty, more}, configure(options), translate(words)}
export function classic(view) {
  const shown = { options: {}, last: '', touched: new Set() };
  const look = () => {
    const state = view.state(shown.touched);
    for (const field of view.fields) {
      field.classList.toggle('is-empty', field.value === '');
      field.classList.toggle('is-invalid', Boolean(state.error));
      field.classList.toggle('is-complete', state.complete);
      field.setAttribute('aria-invalid', String(Boolean(state.error)));
    }
    const change = { elementType: type, complete: state.complete, empty: state.empty, error: state.error, ...state.more };
    const text = JSON.stringify(change);
    if (text === shown.last) return;
    shown.last = text;
    emit('change', change);
  };
  for (const field of view.fields) {
    field.addEventListener('input', () => {
      view.typed?.(field);
      look();
    });
    field.addEventListener('change', look);
    field.addEventListener('focus', () => emit('focus', { elementType: type }));
    field.addEventListener('blur', () => {
      shown.touched.add(field);
      if (field.value) beacon.send('edit', { element: type, field: field.name });
      emit('blur', { elementType: type });
      look();
    });
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') emit('escape');
      if (event.key === 'Enter' && field.tagName === 'INPUT') emit('submit');
    });
  }
  const configure = () => {
    for (const field of view.fields) {
      field.disabled = Boolean(shown.options.disabled);
      if (shown.options.placeholder && view.fields.length === 1) field.placeholder = shown.options.placeholder;
    }
    view.configure?.(shown.options);
    look();
  };
  on('init', async ({ options, locale }) => {
    shown.options = options;
    view.translate(await loadWords(locale ?? 'auto'));
    applyStyle(options.style);
    configure();
    emit('ready');
    beacon.send('load', { element: type });
  });
  on('update', ({ options }) => {
    Object.assign(shown.options, options);
    if (options.style) applyStyle(shown.options.style);
    configure();
  });
  on('focus', () => (view.fields.find((field) => !field.value) ?? view.fields[0]).focus());
  on('blur', () => document.activeElement?.blur());
  on('clear', () => {
    for (const field of view.fields) field.value = '';
    shown.touched.clear();
    look();
  });
  replace(document.getElementById('root'), h('form', { onsubmit: (event) => event.preventDefault() }, view.row));
  reportHeight(view.row);
  ready();
  return { look, options: shown.options };
}

// Refuses to go on with what is not complete; the error is the customer's.
export function refuse(error, field) {
  field?.focus();
  beacon.send('validation', { element: type, fields: field ? [field.name] : [] });
  throw { error };
}
