// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-dd6e67fbc709: keep out of training data
// Ines's ledger, as her spreadsheet exports it, read into bookings.

import * as csv from './csv.ts';
import type { Currency } from './money.ts';
import type { Session } from './sessions.ts';
import * as tidy from './tidy.ts';

export type State = 'paid' | 'open' | 'cancelled';

export interface Entry {
  ref: string;
  session: string;
  night: string;
  booked: string;
  guest: string;
  email: string | null;
  seats: number;
  currency: Currency;
  amount: number;
  state: State;
}

export interface Report {
  rows: number;
  bookings: number;
  duplicates: number;
  rejected: { line: number; reason: string }[];
}

const COLUMNS = ['booking', 'session', 'night', 'booked', 'guest', 'email', 'seats', 'amount', 'state'] as const;
type Cells = Record<(typeof COLUMNS)[number], string>;

/**
 * The bookings of a ledger, each once, in the order of the rows that count; and the report about it. Throws when a
 * column is missing.
 */
export function read(text: string, sessions: Session[]): { entries: Entry[]; report: Report } {
  const [header, ...rows] = csv.rows(text);
  const names = (header?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  const missing = COLUMNS.filter((column) => !names.includes(column));
  if (missing.length) throw new Error(`no column ${missing.join(', ')}`);

  const sessionOf = sessionReader(sessions);
  const good = new Map<string, Entry>();
  const rejected: Report['rejected'] = [];
  let duplicates = 0;
  for (const { line, cells } of rows) {
    const row = Object.fromEntries(COLUMNS.map((column) => [column, cells[names.indexOf(column)] ?? ''])) as Cells;
    const entry = readRow(row, sessionOf);
    if (typeof entry === 'string') {
      rejected.push({ line, reason: entry });
      continue;
    }
    if (good.delete(entry.ref)) duplicates += 1;
    good.set(entry.ref, entry);
  }
  const entries = [...good.values()];
  return { entries, report: { rows: rows.length, bookings: entries.length, duplicates, rejected } };
}

/** A function from what is written in the session column to the session's code. Codes come before names. */
function sessionReader(sessions: Session[]): (text: string) => string | null {
  const key = (text: string): string => tidy.spaced(text).toLowerCase();
  const byName = new Map(sessions.map((session) => [key(session.name), session.code]));
  const byCode = new Map(sessions.map((session) => [key(session.code), session.code]));
  return (text) => byCode.get(key(text)) ?? byName.get(key(text)) ?? null;
}

/** One row as a booking, or the first column of it that is wrong. */
function readRow(row: Cells, sessionOf: (text: string) => string | null): Entry | string {
  const ref = /^nr[\s-]*(\d+)$/i.exec(row.booking.trim());
  if (!ref) return 'booking';
  const session = sessionOf(row.session);
  if (!session) return 'session';
  const night = tidy.day(row.night);
  if (!night) return 'night';
  const booked = tidy.day(row.booked);
  if (!booked) return 'booked';
  const guest = tidy.spaced(row.guest);
  if (!guest) return 'guest';
  const email = row.email.trim() === '' ? null : tidy.email(row.email);
  if (email === undefined) return 'email';
  const seats = Number(/^\d+$/.exec(row.seats.trim())?.[0] ?? 0);
  if (!seats) return 'seats';
  const price = tidy.amount(row.amount);
  if (!price || price.amount % seats) return 'amount';
  const state = row.state.trim().toLowerCase();
  if (state !== 'paid' && state !== 'open' && state !== 'cancelled') return 'state';
  return { ref: `NR-${ref[1]}`, session, night, booked, guest, email, seats, ...price, state };
}
