// Between invoices and payments. Invoices are asked for with their payments, and a day's payments for all their invoices at once.
import Stripe from 'stripe'
import { idOf } from './stripe.ts'

export const WITH_PAYMENTS = ['payments.data.payment.payment_intent']

/** The subscription that an invoice is for. */
export function benchOf({ parent }: Stripe.Invoice): string | null {
  return parent?.type === 'subscription_details' ? idOf(parent.subscription_details?.subscription) : null
}

/** The invoice that a PaymentIntent pays. */
export async function invoiceOf(stripe: Stripe, payment: string): Promise<Stripe.Invoice | null> {
  const which = { type: 'payment_intent' as const, payment_intent: payment }
  for await (const found of stripe.invoicePayments.list({ payment: which, limit: 1 })) {
    return await stripe.invoices.retrieve(idOf(found.invoice) ?? '')
  }
  return null
}

/** The invoices of all payments that have gone through. */
export async function invoicesByPayment(stripe: Stripe): Promise<Map<string, Stripe.Invoice>> {
  const found = new Map<string, Stripe.Invoice>()
  for await (const one of stripe.invoicePayments.list({ status: 'paid', limit: 100, expand: ['data.invoice'] })) {
    const payment = idOf(one.payment.payment_intent)
    if (payment) found.set(payment, one.invoice as Stripe.Invoice)
  }
  return found
}

/** The payments of an invoice that was asked for with them, without those that were canceled. */
function alive(invoice: Stripe.Invoice): Stripe.InvoicePayment[] {
  return (invoice.payments?.data ?? []).filter((one) => one.status !== 'canceled' && one.payment.type === 'payment_intent')
}

/** The PaymentIntent that used to be the invoice's own: the default one, else the oldest, but none that was canceled. */
export function intentOf(invoice: Stripe.Invoice): Stripe.PaymentIntent | null {
  const found = alive(invoice)
  const own = found.find((one) => one.is_default) ?? found.at(-1)
  return (own?.payment.payment_intent as Stripe.PaymentIntent | undefined) ?? null
}

/** What came through Stripe. */
export function cameByCard(invoice: Stripe.Invoice): number {
  return alive(invoice).reduce((sum, one) => sum + (one.status === 'paid' ? (one.amount_paid ?? 0) : 0), 0)
}
