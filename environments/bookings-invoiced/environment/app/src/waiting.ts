import { all, one, type Queryable } from './database.ts';

export interface Waiting {
  id: number;
  session: string;
  name: string;
  email: string;
  note: string;
}

/** Put somebody on the list of those who wait for a seat; returns their number. */
export async function add(database: Queryable, entry: Omit<Waiting, 'id'>): Promise<number> {
  const row = await one<{ id: number }>(
    database,
    'INSERT INTO waiting (session, name, email, note) VALUES ($1, $2, $3, $4) RETURNING id',
    [entry.session, entry.name, entry.email, entry.note],
  );
  return row!.id;
}

/** Those who have not been told of a seat yet, first come first. */
export function open(database: Queryable): Promise<Waiting[]> {
  return all<Waiting>(database, 'SELECT id, session, name, email, note FROM waiting WHERE NOT told ORDER BY id');
}
