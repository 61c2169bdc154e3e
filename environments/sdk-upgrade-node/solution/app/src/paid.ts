// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-334d687c468f: keep out of training data
// Between invoices and payments: an invoice has a list of payments, and a payment does not know its invoice.
import Stripe from 'stripe'
import { idOf } from './stripe.ts'

/** The subscription that an invoice is for. */
export function benchOf(invoice: Stripe.Invoice): string | null {
  return idOf(invoice.parent?.subscription_details?.subscription)
}

/** The invoice that a PaymentIntent pays. */
export async function invoiceOf(stripe: Stripe, payment: string): Promise<Stripe.Invoice | null> {
  const { data } = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: payment },
    expand: ['data.invoice'],
  })
  return data.length ? (data[0].invoice as Stripe.Invoice) : null
}

/** The payments of an invoice: the default one first, then the others, oldest first. */
export async function paymentsOf(stripe: Stripe, invoice: string, expand: string[] = []): Promise<Stripe.InvoicePayment[]> {
  const found = await stripe.invoicePayments.list({ invoice, limit: 100, expand }).autoPagingToArray({ limit: 1000 })
  found.reverse()
  return [...found.filter((one) => one.is_default), ...found.filter((one) => !one.is_default)]
}

/** The PaymentIntent that used to be the invoice's own: the first that is not canceled. */
export function mainPayment(payments: Stripe.InvoicePayment[]): string | Stripe.PaymentIntent | null {
  const found = payments.find((one) => one.status !== 'canceled' && one.payment.type === 'payment_intent')
  return found?.payment.payment_intent ?? null
}

/** Whether money came another way than through Stripe. */
export function offStripe(invoice: Stripe.Invoice, payments: Stripe.InvoicePayment[]): boolean {
  const came = payments.filter((one) => one.status === 'paid').reduce((sum, one) => sum + (one.amount_paid ?? 0), 0)
  return invoice.status === 'paid' && invoice.amount_paid > came
}
