// Pots and classes, paid at the counter by card, and the takings of a day, whatever they were for.
import Stripe from 'stripe'
import { Refused } from './problems.ts'
import type { Records } from './records.ts'
import { idOf } from './stripe.ts'

export class Sales {
  constructor(
    private readonly stripe: Stripe,
    private readonly records: Records,
  ) {}

  /** A sale with every attempt to pay for it, newest first. */
  async show(number: string) {
    const sale = this.find(number)
    const intent = await this.stripe.paymentIntents.retrieve(sale.payment)
    const charges = await this.charges(intent)
    const paid = charges.find((charge) => charge.paid) ?? null
    return {
      sale: number,
      what: sale.what,
      payment: intent.id,
      state: stateOf(intent, charges, paid),
      amount: intent.amount,
      currency: intent.currency,
      received: intent.amount_received,
      given_back: paid ? paid.amount_refunded : 0,
      attempts: charges.map(attempt),
      refunds: paid ? (await this.refunds(paid)).map(refund) : [],
    }
  }

  /** Give back some of what a sale cost, or all that is left of it. */
  async refund(number: string, amount: unknown) {
    const sale = this.find(number)
    const intent = await this.stripe.paymentIntents.retrieve(sale.payment)
    const paid = (await this.charges(intent)).find((charge) => charge.paid)
    if (!paid) throw new Refused(409, 'not paid')
    const left = paid.amount - paid.amount_refunded
    if (left === 0) throw new Refused(409, 'given back already')
    const wanted = amount ?? left
    if (typeof wanted !== 'number' || !Number.isInteger(wanted) || wanted <= 0 || wanted > left) {
      throw new Refused(422, 'amount', { left })
    }
    const made = await this.stripe.refunds.create({
      charge: paid.id,
      amount: wanted,
      reason: 'requested_by_customer',
      metadata: { sale: number },
      expand: ['charge'],
    })
    const charge = made.charge as Stripe.Charge
    return {
      sale: number,
      refund: made.id,
      charge: charge.id,
      amount: made.amount,
      currency: made.currency,
      status: made.status,
      left: charge.amount - charge.amount_refunded,
    }
  }

  /** Every card payment from `since` until before `until`, newest first, with what it was for. */
  async takings(since: number, until: number) {
    const rows = []
    const charges = this.stripe.charges.list({ created: { gte: since, lt: until }, limit: 100, expand: ['data.invoice'] })
    for await (const charge of charges) {
      if (!charge.paid) continue
      const payment = idOf(charge.payment_intent)
      const invoice = charge.invoice as Stripe.Invoice | null
      let what = 'counter'
      let reference = this.records.saleOfPayment(payment)
      if (invoice) [what, reference] = [invoice.subscription ? 'bench' : 'invoice', invoice.number]
      else if (reference) what = 'sale'
      rows.push({
        at: charge.created,
        charge: charge.id,
        payment,
        for: what,
        reference,
        amount: charge.amount,
        given_back: charge.amount_refunded,
      })
    }
    return {
      payments: rows.length,
      taken: rows.reduce((sum, row) => sum + row.amount, 0),
      given_back: rows.reduce((sum, row) => sum + row.given_back, 0),
      rows,
    }
  }

  private find(number: string) {
    const sale = this.records.sale(number)
    if (!sale) throw new Refused(404, 'not found')
    return sale
  }

  private async charges(intent: Stripe.PaymentIntent): Promise<Stripe.Charge[]> {
    const first = intent.charges
    if (first && !first.has_more) return first.data
    return await this.stripe.charges.list({ payment_intent: intent.id, limit: 100 }).autoPagingToArray({ limit: 1000 })
  }

  private async refunds(charge: Stripe.Charge): Promise<Stripe.Refund[]> {
    const first = charge.refunds
    if (first && !first.has_more) return first.data
    return await this.stripe.refunds.list({ charge: charge.id, limit: 100 }).autoPagingToArray({ limit: 1000 })
  }
}

function stateOf(intent: Stripe.PaymentIntent, charges: Stripe.Charge[], paid: Stripe.Charge | null): string {
  if (paid) return paid.refunded ? 'given back' : paid.amount_refunded ? 'partly given back' : 'paid'
  if (intent.status === 'canceled') return 'cancelled'
  return charges.length ? 'declined' : 'open'
}

function attempt(charge: Stripe.Charge) {
  const card = charge.payment_method_details?.card
  return {
    charge: charge.id,
    at: charge.created,
    amount: charge.amount,
    outcome: charge.paid ? 'paid' : 'declined',
    reason: charge.outcome?.reason ?? null,
    card: { brand: card?.brand ?? null, last4: card?.last4 ?? null },
  }
}

function refund(made: Stripe.Refund) {
  return { refund: made.id, at: made.created, amount: made.amount, status: made.status, reason: made.reason }
}
