// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-dcd9b20e7a54: keep out of training data
'use strict';

// What people write by hand, read in one way: for the phone book and for what the page sends.

const { CURRENCIES } = require('./money');

const MONTHS = [
  'january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november',
  'december',
];
const WEEKDAY = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+/i;

/** A text with every run of white space as one space, and none at the ends. JavaScript's \s knows no-break spaces. */
function spaced(text) {
  return text.replace(/\s+/g, ' ').trim();
}

/** A name, or null. "Byrne, Ada" is Ada Byrne. */
function name(text) {
  const plain = spaced(text);
  const turned = /^([^,]+),([^,]+)$/.exec(plain);
  return (turned ? spaced(`${turned[2]} ${turned[1]}`) : plain) || null;
}

/** An e-mail address in lower case, or undefined when it is none. */
function email(text) {
  const plain = text.trim().toLowerCase();
  return /^[^\s@]+@[^\s@]+$/.test(plain) ? plain : undefined;
}

/** "YYYY-MM-DD" of numbers, or null when the calendar has no such day. */
function calendarDay(year, month, day) {
  const full = year < 100 ? 2000 + year : year;
  const date = new Date(Date.UTC(full, month - 1, day));
  if (date.getUTCFullYear() !== full || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.toISOString().slice(0, 10);
}

/** A day as "YYYY-MM-DD" and nothing else, or null. */
function isoDay(text) {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return match && calendarDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

/** A day in any of Mairi's ways as "YYYY-MM-DD", or null. */
function day(text) {
  const plain = spaced(text).replace(WEEKDAY, '');
  let match = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(plain);
  if (match) return calendarDay(Number(match[1]), Number(match[2]), Number(match[3]));
  match = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)$/.exec(plain);
  if (match) return calendarDay(Number(match[4]), Number(match[3]), Number(match[1]));
  match = /^(\d{1,2})(?:st|nd|rd|th)? ([a-z]+)\.?,? (\d{4}|\d\d)$/i.exec(plain);
  if (match) return calendarDay(Number(match[3]), month(match[2]), Number(match[1]));
  match = /^([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}|\d\d)$/i.exec(plain);
  if (match) return calendarDay(Number(match[3]), month(match[1]), Number(match[2]));
  return null;
}

function month(word) {
  const small = word.toLowerCase();
  return MONTHS.findIndex((full) => small === full || small === full.slice(0, 3)) + 1;
}

/** "4", "2+2 (kids)" as a number of people, or null. */
function party(text) {
  const match = /^(\d+(?:\s*\+\s*\d+)*)(?![\d.,+])(.*)$/s.exec(spaced(text));
  if (!match) return null;
  const people = match[1].split('+').reduce((sum, part) => sum + Number(part), 0);
  return people > 0 ? people : null;
}

/** "€ 1.250,50" as { amount, currency } in minor units, or null. `usual` is the currency of an amount without one. */
function paid(text, usual) {
  const plain = spaced(text);
  if (/^[-–—]?$/.test(plain)) return { amount: 0, currency: usual };
  const match = /^([^\d\s.,'’-]*)\s*(\d[\d.,'’\s]*?)\s*([^\d\s.,'’-]*)$/.exec(plain);
  if (!match || (match[1] && match[3])) return null;
  const mark = (match[1] || match[3]).toLowerCase();
  const currency = mark ? known(mark) : usual;
  if (!currency) return null;
  const decimals = /^(.*)[.,](\d{1,2})$/.exec(match[2]);
  const whole = (decimals ? decimals[1] : match[2]).replace(/\D/g, '');
  const { digits } = CURRENCIES[currency];
  const fraction = (decimals ? decimals[2] : '').padEnd(2, '0');
  if (digits === 0 && Number(fraction) !== 0) return null;
  return { amount: Number(whole) * 10 ** digits + (digits ? Number(fraction) : 0), currency };
}

function known(mark) {
  return Object.keys(CURRENCIES).find((code) => mark === code || mark === CURRENCIES[code].symbol);
}

module.exports = { day, email, isoDay, name, paid, party, spaced };
