// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-45fb67bd725f: keep out of training data
// node --import tsx scripts/migrate.ts FILE: bring a ledger into the database and into Stripe, and say what came of it.

import { readFile } from 'node:fs/promises';
import { read } from '../src/config.ts';
import { open } from '../src/database.ts';
import { migrate } from '../src/migration.ts';
import { createBilling } from '../src/stripe.ts';

const file = process.argv[2];
try {
  if (!file) throw new Error('which file? node --import tsx scripts/migrate.ts FILE');
  const text = await readFile(file, 'utf8');
  const config = read();
  const database = await open(config.databaseUrl);
  const report = await migrate({ database, billing: createBilling(config), text });
  await database.end();
  console.log(JSON.stringify(report));
} catch (error) {
  console.error(`${file ?? 'migrate'}: ${(error as Error).message}`);
  process.exit(1);
}
