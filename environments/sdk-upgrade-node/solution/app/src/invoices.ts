// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-5429f83d2d41: keep out of training data
// Schools and studios pay by invoice: at once, in parts, by card or by bank.
import Stripe from 'stripe'
import { linesOf } from './lines.ts'
import { benchOf, invoiceOf, mainPayment, offStripe, paymentsOf } from './paid.ts'
import { Refused } from './problems.ts'
import type { Records } from './records.ts'
import { idOf } from './stripe.ts'

export class Invoices {
  constructor(
    private readonly stripe: Stripe,
    private readonly records: Records,
  ) {}

  /** An invoice, what is on it and how it was paid. */
  async show(id: string) {
    return await this.shown(await this.stripe.invoices.retrieve(id))
  }

  /** Take the money from the customer's card, or note that it came by bank. */
  async pay(id: string, how: unknown) {
    if (how !== 'card' && how !== 'bank') throw new Refused(422, 'how', { choices: ['bank', 'card'] })
    const found = await this.stripe.invoices.retrieve(id)
    if (found.status === 'paid') throw new Refused(409, 'paid already')
    if (found.status !== 'open') throw new Refused(409, 'not open', { status: found.status })
    return await this.shown(await this.stripe.invoices.pay(id, how === 'bank' ? { paid_out_of_band: true } : {}))
  }

  /** A payment and what it was for. */
  async payment(id: string) {
    const intent = await this.stripe.paymentIntents.retrieve(id)
    const invoice = await invoiceOf(this.stripe, intent.id)
    return {
      payment: intent.id,
      status: intent.status,
      amount: intent.amount,
      received: intent.amount_received,
      currency: intent.currency,
      sale: this.records.saleOfPayment(intent.id),
      invoice: invoice && {
        invoice: invoice.id,
        number: invoice.number,
        studio: idOf(invoice.customer),
        status: invoice.status,
        paid: invoice.status === 'paid',
        outstanding: invoice.amount_remaining,
        bench: benchOf(invoice),
      },
    }
  }

  /** Everything a studio was ever invoiced for, and what it still owes. */
  async statement(studio: string) {
    const customer = await this.stripe.customers.retrieve(studio)
    if (customer.deleted) throw new Refused(410, 'left')
    const list = this.stripe.invoices.list({ customer: studio, limit: 100 })
    let count = 0
    const sums = { billed: 0, paid: 0, outstanding: 0 }
    const unpaid = []
    for await (const invoice of list) {
      count += 1
      if (invoice.status === 'draft' || invoice.status === 'void') continue
      sums.billed += invoice.total
      sums.paid += invoice.status === 'paid' ? 1 : 0
      if (invoice.status !== 'open') continue
      sums.outstanding += invoice.amount_remaining
      unpaid.push({
        invoice: invoice.id,
        number: invoice.number,
        total: invoice.total,
        outstanding: invoice.amount_remaining,
        payment: idOf(mainPayment(await paymentsOf(this.stripe, invoice.id))),
        bench: benchOf(invoice),
      })
    }
    return {
      studio,
      name: this.records.studio(studio) ?? customer.name,
      invoices: count,
      ...sums,
      unpaid,
    }
  }

  private async shown(invoice: Stripe.Invoice) {
    const payments = await paymentsOf(this.stripe, invoice.id, ['data.payment.payment_intent.latest_charge'])
    const intent = mainPayment(payments) as Stripe.PaymentIntent | null
    const charge = (intent?.latest_charge ?? null) as Stripe.Charge | null
    const paid = invoice.status === 'paid'
    let how = null
    if (offStripe(invoice, payments)) how = 'bank'
    else if (paid) how = charge ? 'card' : 'nothing to pay'
    return {
      invoice: invoice.id,
      number: invoice.number,
      studio: idOf(invoice.customer),
      status: invoice.status,
      paid,
      how,
      currency: invoice.currency,
      total: invoice.total,
      tax: invoice.total_taxes?.length ? invoice.total_taxes.reduce((sum, tax) => sum + tax.amount, 0) : null,
      outstanding: invoice.amount_remaining,
      due: invoice.due_date,
      bench: benchOf(invoice),
      payment: intent && {
        payment: intent.id,
        status: intent.status,
        charge: charge?.id ?? null,
        amount: charge ? charge.amount : intent.amount,
        card: charge?.payment_method_details?.card?.last4 ?? null,
      },
      lines: await linesOf(this.stripe, invoice),
    }
  }
}
