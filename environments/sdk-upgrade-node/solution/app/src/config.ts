// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-a75918d6148e: keep out of training data
// Settings, all of them from environment variables.
import { fileURLToPath } from 'node:url'

// Every request to Stripe names this version, so that the account's default never decides what we get.
export const STRIPE_API_VERSION = '2026-10-28.endive'

export interface Config {
  stripeSecretKey: string
  databasePath: string
  host: string
  port: number
}

export function fromEnvironment(environment: NodeJS.ProcessEnv = process.env): Config {
  const key = (environment.STRIPE_SECRET_KEY ?? '').trim()
  if (!key.startsWith('sk_')) throw new Error("STRIPE_SECRET_KEY must be set to the account's sk_… key")
  const port = environment.PORT ?? '4242'
  if (!/^\d+$/.test(port)) throw new Error(`PORT must be a number, not ${port}`)
  return {
    stripeSecretKey: key,
    databasePath: environment.DATABASE_PATH || fileURLToPath(new URL('../var/desk.db', import.meta.url)),
    host: environment.HOST ?? '127.0.0.1',
    port: Number(port),
  }
}
