'use strict';

// Reading what people write: a table of patterns for each column.

const { CURRENCIES } = require('./money');

const squeeze = (text) => text.split(/\s+/u).filter(Boolean).join(' ');
const SHORT = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const LONG = ['uary', 'ruary', 'ch', 'il', '', 'e', 'y', 'ust', 'tember', 'ober', 'ember', 'ember'];
const DAYS = [
  [/^(?<y>\d{4})-(?<m>\d\d?)-(?<d>\d\d?)$/],
  [/^(?<d>\d\d?)\/(?<m>\d\d?)\/(?<y>\d\d(\d\d)?)$/],
  [/^(?<d>\d\d?)\.(?<m>\d\d?)\.(?<y>\d\d(\d\d)?)$/],
  [/^(?<d>\d\d?)-(?<m>\d\d?)-(?<y>\d\d(\d\d)?)$/],
  [/^(?:[a-z]{3,9} )?(?<d>\d\d?)(?:st|nd|rd|th)? (?<word>[a-z]+) (?<y>\d\d(\d\d)?)$/],
  [/^(?<word>[a-z]+) (?<d>\d\d?)(?:st|nd|rd|th)?,? (?<y>\d\d(\d\d)?)$/],
];

function monthOf(word) {
  const at = SHORT.indexOf(word.slice(0, 3));
  return at >= 0 && (word.length === 3 || word === SHORT[at] + LONG[at]) ? at + 1 : 0;
}

function exact(year, month, day) {
  const last = [31, year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  if (month < 1 || month > 12 || day < 1 || day > last[month - 1]) return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

function day(text) {
  const plain = squeeze(text).toLowerCase();
  for (const [pattern] of DAYS) {
    const found = pattern.exec(plain);
    if (found) {
      const { y, m, d, word } = found.groups;
      return exact(y.length === 2 ? 2000 + Number(y) : Number(y), word ? monthOf(word) : Number(m), Number(d));
    }
  }
  return null;
}

const strictDay = (text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? day(text) : null);

function guest(text) {
  const plain = squeeze(text);
  const parts = plain.split(',').map(squeeze);
  return (parts.length === 2 && parts.every(Boolean) ? `${parts[1]} ${parts[0]}` : plain) || null;
}

function address(text) {
  const plain = text.trim().toLowerCase();
  const parts = plain.split('@');
  return parts.length === 2 && parts.every(Boolean) && !/\s/.test(plain) ? plain : null;
}

function party(text) {
  const found = squeeze(text).match(/^(\d+)((?: ?\+ ?\d+)*)(?: ?[^\d\s+.,].*)?$/);
  if (!found) return null;
  const sum = `${found[1]}${found[2]}`.split('+').map(Number).reduce((a, b) => a + b);
  return sum || null;
}

function paid(text, own) {
  const plain = squeeze(text);
  if (plain === '' || plain === '-') return [0, own];
  const digits = plain.search(/\d/);
  if (digits < 0 || plain.includes('-')) return null;
  const end = plain.length - [...plain].reverse().join('').search(/\d/);
  const marks = [plain.slice(0, digits).trim(), plain.slice(end).trim()].filter(Boolean);
  if (marks.length > 1) return null;
  const currency = marks.length === 0
    ? own
    : Object.keys(CURRENCIES).find((code) => [code, CURRENCIES[code].symbol].includes(marks[0].toLowerCase()));
  if (!currency) return null;
  const number = plain.slice(digits, end);
  if (/[^\d.,'’\s]/.test(number)) return null;
  const tail = /[.,](\d\d?)$/.exec(number);
  const hundredths = Number((tail ? tail[1] : '0').padEnd(2, '0'));
  const whole = Number((tail ? number.slice(0, tail.index) : number).replace(/\D/g, '') || 0);
  if (CURRENCIES[currency].digits === 0) return hundredths ? null : [whole, currency];
  return [whole * 100 + hundredths, currency];
}

/** Records of a CSV text as [line, fields]. */
function* records(text) {
  const field = /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n|\n|\r|$)/y;
  let line = 1;
  let begun = 1;
  let fields = [];
  const whole = text.startsWith('\uFEFF') ? text.slice(1) : text;
  while (field.lastIndex <= whole.length) {
    const found = field.exec(whole);
    if (!found) throw new Error(`line ${line} is no CSV`);
    line += (found[0].match(/\r\n|\n|\r/g) || []).length;
    fields.push(found[1] === undefined ? found[2] : found[1].replace(/""/g, '"'));
    if (found[3] !== ',') {
      if (fields.some((value) => value.trim())) yield [begun, fields];
      fields = [];
      begun = line;
      if (field.lastIndex >= whole.length) return;
    }
  }
}

module.exports = { address, day, guest, paid, party, records, squeeze, strictDay };
