// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-58ee8fba7fd8: keep out of training data
// What people write by hand, read in one way: for the ledger and for what the page sends.

import { calendarDay } from './days.ts';
import { CURRENCIES, isCurrency, type Currency } from './money.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const LONG = [
  'january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december',
];

/** A text with every run of white space as one space, and none at the ends. JavaScript's \s knows no-break spaces. */
export function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** An e-mail address in lower case, or undefined when it is none. */
export function email(text: string): string | undefined {
  const plain = text.trim().toLowerCase();
  return /^[^\s@]+@[^\s@]+$/.test(plain) ? plain : undefined;
}

/** A day in any of Ines's ways as "YYYY-MM-DD", or null. */
export function day(text: string): string | null {
  const plain = spaced(text);
  let match = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(plain);
  if (match) return calendarDay(Number(match[1]), Number(match[2]), Number(match[3]));
  match = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/.exec(plain);
  if (match) return calendarDay(Number(match[4]), Number(match[3]), Number(match[1]));
  match = /^(\d{1,2}) ([a-z]+) (\d{4})$/i.exec(plain);
  if (!match) return null;
  const word = match[2].toLowerCase();
  return calendarDay(Number(match[3]), Math.max(MONTHS.indexOf(word), LONG.indexOf(word)) + 1, Number(match[1]));
}

/** "€ 1.250,50" in smallest units, or null when it is no amount above nothing in one of our currencies. */
export function amount(text: string): { amount: number; currency: Currency } | null {
  const match = /^([^\d\s.,'’-]*)\s*(\d[\d.,'’\s]*?)\s*([^\d\s.,'’-]*)$/.exec(spaced(text));
  if (!match || Boolean(match[1]) === Boolean(match[3])) return null;
  const currency = currencyOf((match[1] || match[3]).toLowerCase());
  if (!currency) return null;
  const decimals = /^(.*)[.,](\d\d)$/.exec(match[2]);
  const whole = Number((decimals ? decimals[1] : match[2]).replace(/\D/g, ''));
  const fraction = Number(decimals?.[2] ?? 0);
  if (CURRENCIES[currency].digits === 0) return fraction || !whole ? null : { amount: whole, currency };
  const units = whole * 100 + fraction;
  return units > 0 ? { amount: units, currency } : null;
}

function currencyOf(mark: string): Currency | null {
  if (isCurrency(mark)) return mark;
  const codes = Object.keys(CURRENCIES) as Currency[];
  return codes.find((code) => CURRENCIES[code].sign === mark) ?? null;
}
