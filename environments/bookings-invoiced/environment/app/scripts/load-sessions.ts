// node --import tsx scripts/load-sessions.ts [FILE]: load this year's sessions, by default those of data/sessions.json.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { read } from '../src/config.ts';
import { open } from '../src/database.ts';
import * as sessions from '../src/sessions.ts';

const file = process.argv[2] ?? fileURLToPath(new URL('../data/sessions.json', import.meta.url));
try {
  const list = JSON.parse(await readFile(file, 'utf8'));
  const database = await open(read().databaseUrl);
  const count = await sessions.load(database, list);
  await database.end();
  console.log(`${count} sessions loaded`);
} catch (error) {
  console.error(`${file}: ${(error as Error).message}`);
  process.exit(1);
}
