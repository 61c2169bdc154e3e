// node --import tsx scripts/migrate.ts FILE

import { readFile } from 'node:fs/promises';
import { read } from '../src/config.ts';
import { all, open, type Database } from '../src/database.ts';
import { customer } from '../src/people.ts';
import { address, dayOf, priceOf, records, squeeze } from '../src/reading.ts';
import { Stripe } from '../src/stripe-http.ts';

interface Booking {
  ref: string;
  session: string;
  night: string;
  booked: string;
  guest: string;
  email: string | null;
  seats: number;
  amount: number;
  currency: string;
  state: string;
}

const COLUMNS = ['booking', 'session', 'night', 'booked', 'guest', 'email', 'seats', 'amount', 'state'];
const file = process.argv[2];

try {
  const text = await readFile(file, 'utf8');
  const database = await open(read().databaseUrl);
  const stripe = new Stripe(read().stripeSecretKey);
  const names = new Map((await all(database, 'SELECT code, name FROM sessions')).map((row) => [String(row.code), String(row.name)]));
  const { bookings, report } = understand(text, names);
  await bring(database, stripe, bookings, names);
  await database.end();
  process.stdout.write(`${JSON.stringify(report)}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}

function understand(text: string, names: Map<string, string>) {
  const [header, ...rows] = records(text);
  const place = new Map(header.cells.map((cell, index) => [cell.trim().toLowerCase(), index]));
  for (const column of COLUMNS) if (!place.has(column)) throw new Error(`${file} has no column ${column}`);
  const plain = (word: string): string => squeeze(word).toLowerCase();
  const codes = new Map([...names].map(([code, name]) => [plain(name), code]));
  for (const code of names.keys()) codes.set(plain(code), code);

  const kept: Booking[] = [];
  const rejected: { line: number; reason: string }[] = [];
  for (const { line, cells } of rows) {
    const of = (column: string): string => cells[place.get(column)!] ?? '';
    const price = priceOf(of('amount'));
    const seats = /^\s*\d+\s*$/.test(of('seats')) ? Number(of('seats')) : 0;
    const values: Record<string, unknown> = {
      booking: /^\s*nr[-\s]*(\d+)\s*$/i.exec(of('booking'))?.[1],
      session: codes.get(plain(of('session'))),
      night: dayOf(of('night')),
      booked: dayOf(of('booked')),
      guest: squeeze(of('guest')),
      email: of('email').trim() === '' || address(of('email')),
      seats,
      amount: price && (!seats || price.amount % seats === 0),
      state: ['paid', 'open', 'cancelled'].includes(plain(of('state'))),
    };
    const reason = COLUMNS.find((column) => !values[column]);
    if (reason) rejected.push({ line, reason });
    else {
      const { booking, session, night, booked, guest } = values as Record<string, string>;
      kept.push({
        ref: `NR-${booking}`, session, night, booked, guest, email: address(of('email')), seats, ...price!, state: plain(of('state')),
      });
    }
  }
  const bookings = kept.filter((one, index) => !kept.some((other, later) => later > index && other.ref === one.ref));
  return { bookings, report: { rows: rows.length, bookings: bookings.length, duplicates: kept.length - bookings.length, rejected } };
}

async function bring(database: Database, stripe: Stripe, bookings: Booking[], names: Map<string, string>): Promise<void> {
  for (const one of bookings) {
    await database.query(
      `INSERT INTO bookings (ref, source, session, night, guest, email, seats, currency, amount, state)
       VALUES ($1, 'ledger', $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (ref) DO UPDATE SET (session, night, guest, email, seats, currency, amount, state) =
         ($2, $3, $4, $5, $6, $7, $8, $9)`,
      [one.ref, one.session, one.night, one.guest, one.email, one.seats, one.currency, one.amount, one.state],
    );
  }
  const prices = new Map<string, string>();
  const today = new Map<string, Booking>();
  for (const one of bookings.filter(({ state }) => state !== 'cancelled')) {
    const product = await stripe.step(database, `product ${one.session}`, 'products', {
      name: names.get(one.session), metadata: { session: one.session },
    });
    const each = one.amount / one.seats;
    const key = `price ${one.session} ${one.currency} ${each}`;
    const price = await stripe.step(database, key, 'prices', { product: product.id, currency: one.currency, unit_amount: each });
    prices.set(one.ref, price.id);
    const lookup = `${one.session}-${one.currency}`.toLowerCase();
    if (!today.has(lookup) || today.get(lookup)!.booked <= one.booked) today.set(lookup, one);
  }
  for (const [lookup, { ref }] of today) {
    const [holder] = (await stripe.ask('GET', 'prices', { lookup_keys: [lookup] })).data;
    if (holder?.id === prices.get(ref)) continue;
    await stripe.ask('POST', `prices/${prices.get(ref)}`, { lookup_key: lookup, transfer_lookup_key: true });
  }
  for (const one of bookings) {
    if (one.state === 'cancelled') {
      const [row] = await all(database, 'SELECT stripe_invoice FROM bookings WHERE ref = $1', [one.ref]);
      if (row.stripe_invoice) await stripe.step(database, `void ${one.ref}`, `invoices/${row.stripe_invoice}/void`, {});
      continue;
    }
    const who = await customer(database, stripe, one);
    const draft = await stripe.step(database, `invoice ${one.ref}`, 'invoices', {
      customer: who,
      currency: one.currency,
      collection_method: 'send_invoice',
      days_until_due: 30,
      effective_at: new Date(one.booked).getTime() / 1000,
      metadata: { booking: one.ref },
    });
    await stripe.step(database, `line ${one.ref}`, `invoices/${draft.id}/add_lines`, {
      lines: [{ pricing: { price: prices.get(one.ref) }, quantity: one.seats }],
    });
    await stripe.step(database, `finalize ${one.ref}`, `invoices/${draft.id}/finalize`, { auto_advance: false });
    await database.query('UPDATE bookings SET stripe_customer = $2, stripe_invoice = $3 WHERE ref = $1', [one.ref, who, draft.id]);
    if (one.state === 'paid') {
      await stripe.step(database, `pay ${one.ref}`, `invoices/${draft.id}/pay`, { paid_out_of_band: true });
    }
  }
}
