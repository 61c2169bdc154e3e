// Our own records: which sale, studio and bench belongs to what at Stripe. Money is never here: Stripe has it.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'libsql'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS sales (
  number TEXT PRIMARY KEY,          -- on the receipt: S-2041
  what TEXT NOT NULL,
  payment TEXT NOT NULL UNIQUE      -- a PaymentIntent
);
CREATE TABLE IF NOT EXISTS studios (
  customer TEXT PRIMARY KEY,
  name TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS benches (
  bench TEXT PRIMARY KEY,           -- a subscription
  place TEXT NOT NULL               -- where it stands: "By the window"
);
`

export class Records {
  private readonly database: Database.Database

  constructor(path: string) {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
    this.database = new Database(path)
    this.database.exec(SCHEMA)
  }

  private one(sql: string, value: string): Record<string, string> | undefined {
    return this.database.prepare(sql).get(value) as Record<string, string> | undefined
  }

  /** A sale by the number on its receipt. */
  sale(number: string): { what: string; payment: string } | undefined {
    return this.one('SELECT what, payment FROM sales WHERE number = ?', number) as { what: string; payment: string } | undefined
  }

  /** The number of the sale that a payment was for. */
  saleOfPayment(payment: string | null): string | null {
    return this.one('SELECT number FROM sales WHERE payment = ?', payment ?? '')?.number ?? null
  }

  /** What we call a customer. */
  studio(customer: string): string | null {
    return this.one('SELECT name FROM studios WHERE customer = ?', customer)?.name ?? null
  }

  /** Where a bench stands. */
  place(bench: string): string | null {
    return this.one('SELECT place FROM benches WHERE bench = ?', bench)?.place ?? null
  }

  writeSale(number: string, what: string, payment: string): void {
    this.database.prepare('REPLACE INTO sales VALUES (?, ?, ?)').run(number, what, payment)
  }

  writeStudio(customer: string, name: string): void {
    this.database.prepare('REPLACE INTO studios VALUES (?, ?)').run(customer, name)
  }

  writeBench(bench: string, place: string): void {
    this.database.prepare('REPLACE INTO benches VALUES (?, ?)').run(bench, place)
  }

  /** How many of each there are. */
  counts(): [string, number][] {
    return ['sales', 'studios', 'benches'].map((table) => {
      const row = this.database.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }
      return [table, row.count]
    })
  }

  close(): void {
    this.database.close()
  }
}
