// Stripe as it looked in 2022, made of what it tells today. The services know nothing else.
import Stripe from 'stripe'
import { Refused } from './problems.ts'
import { idOf } from './stripe.ts'

type Json = any

export class Past {
  readonly refunds: { create: (form: Json) => Promise<Json>; list: (form: Json) => Json }
  readonly customers: { retrieve: (id: string) => Promise<Json> }

  constructor(private readonly now: Stripe) {
    this.refunds = { create: (form) => now.refunds.create(form), list: (form) => now.refunds.list(form) }
    this.customers = { retrieve: (id) => now.customers.retrieve(id) }
  }

  readonly paymentIntents = {
    retrieve: async (id: string, form: Json = {}): Promise<Json> => {
      const intent: Json = await this.now.paymentIntents.retrieve(id)
      intent.invoice = form.expand ? await this.invoiceOf(id) : null
      intent.charges = { has_more: true }
      return intent
    },
  }

  readonly charges = {
    list: ({ expand, ...form }: Json): Json => {
      const list = this.now.charges.list(form)
      if (!expand) return list
      const { now, invoiceOf } = { now: list, invoiceOf: this.invoiceOf.bind(this) }
      return (async function* () {
        for await (const charge of now) {
          const payment = idOf(charge.payment_intent)
          yield { ...charge, invoice: payment ? await invoiceOf(payment) : null }
        }
      })()
    },
  }

  readonly invoices = {
    retrieve: async (id: string, _form: Json = {}): Promise<Json> => await this.whole(await this.now.invoices.retrieve(id)),
    pay: async (id: string, { expand: _, ...form }: Json): Promise<Json> => await this.whole(await this.now.invoices.pay(id, form)),
    list: ({ include: _, ...form }: Json): Json => {
      const all = (async () => {
        const found = await this.now.invoices.list(form).autoPagingToArray({ limit: 10_000 })
        return { total_count: found.length, data: await Promise.all(found.map((one) => this.invoice(one, one.status === 'open'))) }
      })()
      return {
        then: (done: Json, failed: Json) => all.then(done, failed),
        [Symbol.asyncIterator]: async function* () {
          yield* (await all).data
        },
      }
    },
    listLineItems: (id: string, form: Json): Json => ({
      autoPagingToArray: async (limits: Json) => {
        const lines = await this.now.invoices.listLineItems(id, form).autoPagingToArray(limits)
        return await this.lines(lines)
      },
    }),
    retrieveUpcoming: async (form: Json): Promise<Json> => {
      const coming: Json = await this.now.invoices.createPreview(form)
      coming.lines.data = await this.lines(coming.lines.data)
      return coming
    },
  }

  readonly subscriptions = {
    retrieve: async (id: string, form: Json = {}): Promise<Json> => {
      const found: Json = subscription(await this.now.subscriptions.retrieve(id, form))
      if (form.expand && found.latest_invoice) found.latest_invoice = await this.invoice(found.latest_invoice, true)
      return found
    },
    list: async ({ include: _, ...form }: Json): Promise<Json> => {
      const page: Json = await this.now.subscriptions.list(form)
      page.data = page.data.map(subscription)
      page.total_count = (await this.now.subscriptions.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })).length
      return page
    },
    del: async (id: string): Promise<Json> => await this.now.subscriptions.cancel(id),
    update: async (id: string, form: Json): Promise<Json> => await this.now.subscriptions.update(id, form),
  }

  readonly subscriptionItems = {
    createUsageRecord: async (id: string, form: Json, options: Json): Promise<void> => {
      const { item, found, meter } = await this.counted(id)
      const early = form.timestamp !== 'now' && form.timestamp < item.current_period_start
      if (early || ['canceled', 'incomplete_expired'].includes(found.status)) throw new Refused(422, 'refused')
      const payload = {
        [meter.customer_mapping.event_payload_key]: idOf(found.customer) ?? '',
        [meter.value_settings.event_payload_key]: `${form.quantity}`,
      }
      const at = form.timestamp === 'now' ? {} : { timestamp: form.timestamp }
      await this.now.billing.meterEvents.create({ event_name: meter.event_name, payload, ...at }, options)
    },
    listUsageRecordSummaries: async (id: string, _form: Json): Promise<Json> => {
      const { item, found, meter } = await this.counted(id)
      const summaries = await this.now.billing.meters.listEventSummaries(meter.id, {
        customer: idOf(found.customer) ?? '',
        start_time: item.current_period_start,
        end_time: item.current_period_end,
      })
      return { data: [{ total_usage: summaries.data.reduce((sum, one) => sum + one.aggregated_value, 0) }] }
    },
  }

  private async counted(id: string) {
    const item = await this.now.subscriptionItems.retrieve(id)
    const found = await this.now.subscriptions.retrieve(item.subscription)
    const meter = await this.now.billing.meters.retrieve(item.price.recurring?.meter ?? '')
    return { item, found, meter }
  }

  private async invoiceOf(payment: string): Promise<Json> {
    const which = { type: 'payment_intent' as const, payment_intent: payment }
    const { data } = await this.now.invoicePayments.list({ payment: which, expand: ['data.invoice'] })
    return data.length ? await this.invoice(data[0].invoice as Stripe.Invoice, false) : null
  }

  /** An invoice with its lines. */
  private async whole(found: Stripe.Invoice): Promise<Json> {
    const invoice = await this.invoice(found, true)
    invoice.lines.data = invoice.lines.has_more ? [] : await this.lines(invoice.lines.data)
    return invoice
  }

  private async invoice(found: Stripe.Invoice, paidHow: boolean): Promise<Json> {
    const invoice: Json = found
    invoice.paid = found.status === 'paid'
    invoice.subscription = idOf(found.parent?.subscription_details?.subscription)
    invoice.tax = found.total_taxes?.length ? found.total_taxes.reduce((sum, tax) => sum + tax.amount, 0) : null
    if (!paidHow) return invoice
    const expand = ['data.payment.payment_intent.latest_charge']
    const payments = await this.now.invoicePayments.list({ invoice: found.id, limit: 100, expand }).autoPagingToArray({ limit: 1000 })
    const alive = payments.filter((one) => one.status !== 'canceled' && one.payment.type === 'payment_intent')
    const own = alive.find((one) => one.is_default) ?? alive[alive.length - 1]
    const intent = (own?.payment.payment_intent ?? null) as Stripe.PaymentIntent | null
    const came = alive.reduce((sum, one) => sum + (one.status === 'paid' ? (one.amount_paid ?? 0) : 0), 0)
    invoice.payment_intent = intent
    invoice.charge = intent?.latest_charge ?? null
    invoice.paid_out_of_band = invoice.paid && found.amount_paid > came
    return invoice
  }

  private async lines(lines: Stripe.InvoiceLineItem[]): Promise<Json[]> {
    const prices = new Map<string, Promise<Stripe.Price>>()
    const price = (id: string) => prices.get(id) ?? prices.set(id, this.now.prices.retrieve(id)).get(id)
    return await Promise.all(
      lines.map(async (line) => {
        const named = idOf(line.pricing?.price_details?.price)
        const { subscription_item_details: let_, invoice_item_details: other } = line.parent ?? {}
        return {
          ...line,
          price: named ? await price(named) : null,
          type: let_ ? 'subscription' : 'invoiceitem',
          subscription: let_?.subscription ?? other?.subscription ?? null,
          proration: (let_ ?? other)?.proration ?? false,
          tax_amounts: (line.taxes ?? []).map((tax) => ({ amount: tax.amount, inclusive: tax.tax_behavior === 'inclusive' })),
        }
      }),
    )
  }
}

function subscription(found: Json): Json {
  const items: Stripe.SubscriptionItem[] = found.items.data
  found.current_period_start = Math.max(...items.map((item) => item.current_period_start))
  found.current_period_end = Math.min(...items.map((item) => item.current_period_end))
  return found
}
