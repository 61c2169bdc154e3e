// One labelled input with its own error: label, control, message, all tied together for screen readers.

import { h, replace, unique } from './dom.js';
import { icon } from './icons.js';

export class Field {
  // name, label, check(value) -> message or null, visible (label shown), attributes, options ([[value, text]]) of a
  // list, optional (says so), id (default: the name), onedit() after every change
  constructor({ name, label, check, visible = false, attributes = {}, options, optional, words, id, onedit }) {
    this.name = name;
    this.check = check ?? (() => null);
    this.words = words;
    this.touched = false;
    const identifier = id ?? name;
    this.control = options
      ? h('select', { class: 'control Input', id: identifier, name, ...attributes }, options.map(([value, text]) => h('option', { value }, text)))
      : h('input', { class: 'control Input', id: identifier, name, type: 'text', ...attributes });
    this.errorId = unique(`${name}-error`);
    this.label = h('label', { for: identifier, class: visible ? 'label Label' : 'visually-hidden' }, label,
      optional ? h('span', { class: 'optional' }, ` (${words.say('optional')})`) : null);
    this.error = h('p', { class: 'problem FieldError Error', id: this.errorId, hidden: true });
    this.element = h('div', { class: visible ? 'group' : '' }, this.label, this.control);
    this.control.addEventListener('blur', () => {
      if (this.value) this.touched = true;
      if (this.touched) this.validate();
    });
    this.control.addEventListener('input', () => {
      if (this.message) this.validate();
      onedit?.();
    });
    if (options) this.control.addEventListener('change', () => onedit?.());
    this.message = null;
  }

  get value() {
    return this.control.value.trim();
  }

  set value(text) {
    this.control.value = text ?? '';
  }

  // Shows what is wrong, or nothing; says whether the field is right.
  validate() {
    this.show(this.hidden() ? null : this.check(this.value));
    return this.message === null;
  }

  hidden() {
    return this.control.disabled || this.element.closest('[hidden]') !== null;
  }

  show(message) {
    this.message = message;
    this.control.setAttribute('aria-invalid', String(message !== null));
    this.control.classList.toggle('Input--invalid', message !== null);
    if (message) this.control.setAttribute('aria-describedby', this.errorId);
    else this.control.removeAttribute('aria-describedby');
    this.error.hidden = !message;
    replace(this.error, message ? [icon('alert'), h('span', {}, message)] : []);
    this.onshow?.();
  }

  focus() {
    this.control.focus();
  }
}

// Fields drawn as one block, with their messages below it, announced politely.
export function block(fields, layout) {
  const errors = h('div', { role: 'alert' }, fields.map((field) => field.error));
  const rows = h('div', { class: 'stack' });
  const place = () => {
    const shown = fields.filter((field) => !field.element.hidden);
    const rowsOf = layout(shown);
    rowsOf.forEach((row, index) => {
      row.forEach((field, column) => {
        const first = index === 0;
        const last = index === rowsOf.length - 1;
        field.element.className = [
          row.length === 1 ? 'wide' : '',
          row.length === 2 && column === 0 ? 'left' : '',
          first && row.length === 1 ? 'top' : '',
          last ? (row.length === 1 ? 'bottom' : column === 0 ? 'bottom-left' : 'bottom-right') : '',
        ].join(' ');
      });
    });
    rows.replaceChildren(...rowsOf.flat().map((field) => field.element));
  };
  place();
  return { element: h('div', { class: 'group' }, rows, errors), place };
}

// Fields with their own labels and messages, side by side where the layout says so.
export function grid(fields, layout) {
  const element = h('div', { class: 'grid' });
  for (const field of fields) field.element.append(h('div', { role: 'alert' }, field.error));
  const place = () => {
    const shown = fields.filter((field) => !field.element.hidden);
    const rowsOf = layout(shown);
    for (const row of rowsOf) for (const field of row) field.element.className = row.length === 1 ? 'group wide' : 'group';
    element.replaceChildren(...rowsOf.flat().map((field) => field.element));
  };
  place();
  return { element, place };
}
