// Schools and studios pay by invoice: at once, in parts, by card or by bank.
import type { Past } from './past.ts'
import { linesOf } from './lines.ts'
import { Refused } from './problems.ts'
import type { Records } from './records.ts'
import { idOf } from './stripe.ts'

const SHOWN = ['payment_intent', 'charge']

export class Invoices {
  constructor(
    private readonly stripe: Past,
    private readonly records: Records,
  ) {}

  /** An invoice, what is on it and how it was paid. */
  async show(id: string) {
    return await this.shown(await this.stripe.invoices.retrieve(id, { expand: SHOWN }))
  }

  /** Take the money from the customer's card, or note that it came by bank. */
  async pay(id: string, how: unknown) {
    if (how !== 'card' && how !== 'bank') throw new Refused(422, 'how', { choices: ['bank', 'card'] })
    const found = await this.stripe.invoices.retrieve(id)
    if (found.paid) throw new Refused(409, 'paid already')
    if (found.status !== 'open') throw new Refused(409, 'not open', { status: found.status })
    const more = how === 'bank' ? { paid_out_of_band: true } : {}
    return await this.shown(await this.stripe.invoices.pay(id, { ...more, expand: SHOWN }))
  }

  /** A payment and what it was for. */
  async payment(id: string) {
    const intent = await this.stripe.paymentIntents.retrieve(id, { expand: ['invoice'] })
    const invoice = intent.invoice
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
        paid: invoice.paid,
        outstanding: invoice.amount_remaining,
        bench: idOf(invoice.subscription),
      },
    }
  }

  /** Everything a studio was ever invoiced for, and what it still owes. */
  async statement(studio: string) {
    const customer = await this.stripe.customers.retrieve(studio)
    if (customer.deleted) throw new Refused(410, 'left')
    const asked = { customer: studio, limit: 100, include: ['total_count'] }
    const list = this.stripe.invoices.list(asked)
    const sums = { billed: 0, paid: 0, outstanding: 0 }
    const unpaid = []
    for await (const invoice of list) {
      if (invoice.status === 'draft' || invoice.status === 'void') continue
      sums.billed += invoice.total
      sums.paid += invoice.paid ? 1 : 0
      if (invoice.status !== 'open') continue
      sums.outstanding += invoice.amount_remaining
      unpaid.push({
        invoice: invoice.id,
        number: invoice.number,
        total: invoice.total,
        outstanding: invoice.amount_remaining,
        payment: idOf(invoice.payment_intent),
        bench: idOf(invoice.subscription),
      })
    }
    const page = (await list)
    return {
      studio,
      name: this.records.studio(studio) ?? customer.name,
      invoices: page.total_count,
      ...sums,
      unpaid,
    }
  }

  private async shown(invoice: any) {
    const intent = invoice.payment_intent
    const charge = invoice.charge
    let how = null
    if (invoice.paid_out_of_band) how = 'bank'
    else if (invoice.paid) how = charge ? 'card' : 'nothing to pay'
    return {
      invoice: invoice.id,
      number: invoice.number,
      studio: idOf(invoice.customer),
      status: invoice.status,
      paid: invoice.paid,
      how,
      currency: invoice.currency,
      total: invoice.total,
      tax: invoice.tax,
      outstanding: invoice.amount_remaining,
      due: invoice.due_date,
      bench: idOf(invoice.subscription),
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
