// The ledger's words.

import { calendarDay } from './days.ts';

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const SIGNS: Record<string, string> = { '€': 'eur', '£': 'gbp', '¥': 'jpy', eur: 'eur', gbp: 'gbp', chf: 'chf', jpy: 'jpy' };

export const squeeze = (text: string): string => text.split(/\s+/).filter(Boolean).join(' ');

export function address(text: string): string | null {
  const trimmed = text.trim().toLowerCase();
  return /^[^@\s]+@[^@\s]+$/.test(trimmed) ? trimmed : null;
}

export function dayOf(text: string): string | null {
  const parts = squeeze(text).split(/[-./ ]/);
  if (parts.length !== 3) return null;
  if (/^\d{4}-\d+-\d+$/.test(squeeze(text))) return calendarDay(Number(parts[0]), Number(parts[1]), Number(parts[2]));
  const [day, month, year] = parts;
  if (!/^\d{1,2}$/.test(day) || !/^\d{4}$/.test(year)) return null;
  const number = /^\d{1,2}$/.test(month)
    ? Number(month)
    : MONTHS.findIndex((name) => [name, name.slice(0, 3)].includes(month.toLowerCase())) + 1;
  return calendarDay(Number(year), number, Number(day));
}

export function priceOf(text: string): { amount: number; currency: string } | null {
  const match = /^(\p{Sc}|[a-z]{3})?\s*([\d.,'’\s]*\d)\s*(\p{Sc}|[a-z]{3})?$/iu.exec(text.trim());
  if (!match || !/^\d/.test(match[2])) return null;
  const marks = [match[1], match[3]].filter(Boolean);
  const currency = marks.length === 1 ? SIGNS[marks[0].toLowerCase()] : undefined;
  if (!currency) return null;
  const cents = /[.,](\d{2})$/.exec(match[2])?.[1];
  const digits = match[2].replace(/\D/g, '');
  const hundredths = Number(cents === undefined ? `${digits}00` : digits);
  const amount = currency === 'jpy' ? hundredths / 100 : hundredths;
  return Number.isInteger(amount) && amount > 0 ? { amount, currency } : null;
}

/** The records of a CSV text with the lines they begin on, by a grammar of one expression. */
export function records(text: string): { line: number; cells: string[] }[] {
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const field = /(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n|$)/y;
  const found: { line: number; cells: string[] }[] = [];
  let [line, begun] = [1, 1];
  let cells: string[] = [];
  while (field.lastIndex < source.length) {
    const match = field.exec(source);
    if (!match) throw new Error(`line ${line} is no CSV`);
    cells.push(match[1] === undefined ? match[2] : match[1].replaceAll('""', '"'));
    line += match[0].split('\n').length - 1;
    if (match[3] === ',') continue;
    if (cells.join('').trim()) found.push({ line: begun, cells });
    [cells, begun] = [[], line];
  }
  return found;
}
