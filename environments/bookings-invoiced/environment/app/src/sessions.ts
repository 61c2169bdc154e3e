import { all, one, transaction, type Database, type Queryable } from './database.ts';

/** A kind of evening at the ridge; `seats` is how many one booking may have. */
export interface Session {
  code: string;
  name: string;
  blurb: string;
  seats: number;
  on_offer: boolean;
}

const FIELDS = 'code, name, blurb, seats, on_offer';

/** Sessions that can be had today, by code. */
export function onOffer(database: Queryable): Promise<Session[]> {
  return all<Session>(database, `SELECT ${FIELDS} FROM sessions WHERE on_offer ORDER BY code COLLATE "C"`);
}

/** A session by its code, those of earlier years too; null when there never was one. */
export function find(database: Queryable, code: unknown): Promise<Session | null> {
  return one<Session>(database, `SELECT ${FIELDS} FROM sessions WHERE code = $1`, [String(code)]);
}

/** Load this year's sessions. Those that are not in the list any more go off offer, and stay in the books. */
export async function load(database: Database, list: unknown[]): Promise<number> {
  const sessions = list.map(checked);
  await transaction(database, async (work) => {
    await work.query('UPDATE sessions SET on_offer = false');
    for (const session of sessions) {
      await work.query(
        `INSERT INTO sessions (${FIELDS}) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (code) DO UPDATE SET name = excluded.name, blurb = excluded.blurb, seats = excluded.seats,
           on_offer = excluded.on_offer`,
        [session.code, session.name, session.blurb, session.seats, session.on_offer],
      );
    }
  });
  return sessions.length;
}

function checked(entry: unknown): Session {
  const { code, name, blurb, seats, retired } = entry as Record<string, unknown>;
  if (!/^[A-Z][A-Z0-9-]*$/.test(String(code))) throw new Error(`${code} is no code of a session`);
  if (!name) throw new Error(`${code} has no name`);
  if (!Number.isInteger(seats) || Number(seats) < 1) throw new Error(`${code}: how many seats?`);
  return { code: String(code), name: String(name), blurb: String(blurb ?? ''), seats: Number(seats), on_offer: !retired };
}
