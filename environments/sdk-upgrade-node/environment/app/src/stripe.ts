// The one client of Stripe that this process has.
import Stripe from 'stripe'
import { STRIPE_API_VERSION, type Config } from './config.ts'

export function connect(config: Config): Stripe {
  return new Stripe(config.stripeSecretKey, { apiVersion: STRIPE_API_VERSION, typescript: true, maxNetworkRetries: 2 })
}

/** The id of something that may be expanded. */
export function idOf(value: string | { id: string } | null | undefined): string | null {
  return typeof value === 'string' ? value : (value?.id ?? null)
}
