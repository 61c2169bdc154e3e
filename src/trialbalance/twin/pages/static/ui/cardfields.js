// The card fields of the page.

import {
  brandOf, checkCode, checkExpiry, checkNumber, digits, grouped, groupedExpiry, longest, parseExpiry,
} from './card.js';
import { h, replace } from './dom.js';
import { brandMark } from './icons.js';
import { now } from './time.js';
import { block, Field, grid } from './field.js';

const SHOWN = ['visa', 'mastercard', 'amex', 'discover'];

export const CHECKOUT = { number: 'cardNumber', expiry: 'cardExpiry', cvc: 'cardCvc' };
export const ELEMENTS = { number: 'number', expiry: 'expiry', cvc: 'cvc' };

export class CardFields {
  // names: of the inputs; spaced: each with its own label; id(name): ids of the inputs
  constructor(words, { names = CHECKOUT, spaced = false, id = (name) => name, onedit } = {}) {
    this.words = words;
    this.spaced = spaced;
    const numeric = { inputmode: 'numeric', autocorrect: 'off', spellcheck: 'false' };
    const make = (name, key, check, attributes) =>
      new Field({ name, id: id(name), label: words.say(key), words, check, visible: spaced, onedit, attributes: { ...numeric, ...attributes } });
    this.number = make(names.number, 'cardNumber', () => this.checkNumber(), { placeholder: '1234 1234 1234 1234', autocomplete: 'cc-number' });
    this.expiry = make(names.expiry, 'expiry', () => this.checkExpiry(), { placeholder: 'MM / YY', autocomplete: 'cc-exp' });
    this.code = make(names.cvc, 'cvcLabel', () => this.checkCode(), { placeholder: 'CVC', autocomplete: 'cc-csc' });
    this.fields = [this.number, this.expiry, this.code];
    this.marks = h('span', { class: 'marks', 'aria-hidden': 'true' });
    const layout = ([number, expiry, code]) => [[number], [expiry, code]];
    const made = spaced ? grid(this.fields, layout) : block(this.fields, layout);
    this.holder = h('span', { class: 'with-mark' });
    this.number.control.replaceWith(this.holder);
    this.holder.append(this.number.control, this.marks);
    this.element = spaced ? made.element : h('fieldset', { class: 'group' }, h('legend', { class: 'label' }, words.say('cardInformation')), made.element);
    this.listen();
    this.showMarks();
  }

  listen() {
    this.number.control.addEventListener('input', () => {
      this.rewrite(this.number.control, (text) => grouped(digits(text).slice(0, longest(digits(text)))));
      this.showMarks();
      const plain = digits(this.number.control.value);
      if (plain.length === longest(plain) && !checkNumber(plain)) this.advance(this.number, this.expiry);
    });
    this.expiry.control.addEventListener('input', (event) => {
      const adding = !event.inputType?.startsWith('delete');
      this.rewrite(this.expiry.control, (text) => groupedExpiry(text, adding));
      if (!checkExpiry(this.expiry.control.value, now())) this.advance(this.expiry, this.code);
    });
    this.code.control.addEventListener('input', () => {
      this.rewrite(this.code.control, (text) => digits(text).slice(0, this.brand().code === 4 || this.brand().name === 'unknown' ? 4 : 3));
    });
    for (const [position, field] of this.fields.entries()) {
      field.control.addEventListener('keydown', (event) => {
        if (event.key !== 'Backspace' || field.control.value !== '' || position === 0) return;
        event.preventDefault();
        this.fields[position - 1].focus();
      });
    }
  }

  rewrite(input, format) {
    const atEnd = input.selectionStart === input.value.length;
    const before = digits(input.value.slice(0, input.selectionStart ?? 0)).length;
    input.value = format(input.value);
    if (document.activeElement !== input || atEnd) return;
    let position = 0;
    for (let seen = 0; position < input.value.length && seen < before; position += 1) if (/\d/.test(input.value[position])) seen += 1;
    input.setSelectionRange(position, position);
  }

  advance(from, to) {
    const { control } = from;
    if (document.activeElement === control && control.selectionStart === control.value.length) to.focus();
  }

  brand() {
    return brandOf(digits(this.number.control.value));
  }

  showMarks() {
    const brand = this.brand().name;
    this.holder.classList.toggle('several', brand === 'unknown');
    replace(this.marks, brand === 'unknown' ? SHOWN.map((name) => brandMark(name)) : brandMark(brand));
    for (const mark of this.marks.querySelectorAll('svg')) mark.setAttribute('aria-hidden', 'true');
  }

  checkNumber() {
    const plain = digits(this.number.value);
    if (!plain) return this.words.say('missing');
    return checkNumber(plain) ? this.words.say('invalid_number') : null;
  }

  checkExpiry() {
    if (!this.expiry.value) return this.words.say('missing');
    const found = checkExpiry(this.expiry.value, now());
    if (!found) return null;
    return this.words.say(found.endsWith('_past') ? 'pastExpiry' : 'invalid_expiry');
  }

  checkCode() {
    if (!this.code.value) return this.words.say('missing');
    return checkCode(digits(this.code.value), this.brand()) ? this.words.say('invalid_code') : null;
  }

  validate() {
    return this.fields.filter((field) => !field.validate());
  }

  read() {
    const { month, year } = parseExpiry(this.expiry.value);
    return { number: digits(this.number.value), exp_month: month, exp_year: year, cvc: digits(this.code.value) };
  }

  // The API refused the card: the message goes to the field it is about.
  refuse(error) {
    const target = { number: this.number, exp_month: this.expiry, exp_year: this.expiry, cvc: this.code }[error.param] ?? null;
    if (target) target.show(error.message);
    return target;
  }
}
