// node --import tsx scripts/waiting-report.ts: who waits for a seat, one a line, for whoever sits at the telephone.

import { read } from '../src/config.ts';
import { open } from '../src/database.ts';
import * as waiting from '../src/waiting.ts';

const database = await open(read().databaseUrl);
for (const entry of await waiting.open(database)) {
  console.log(`${entry.id}\t${entry.session}\t${entry.name} <${entry.email}>\t${entry.note}`);
}
await database.end();
