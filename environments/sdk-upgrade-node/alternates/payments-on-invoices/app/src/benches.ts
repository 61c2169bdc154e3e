// Benches that are let by the month, and the kiln firings that their potters use.
import Stripe from 'stripe'
import { linesOf } from './lines.ts'
import { intentOf } from './paid.ts'
import { Refused } from './problems.ts'
import type { Records } from './records.ts'
import { idOf } from './stripe.ts'

const PAGE = 20

export class Benches {
  constructor(
    private readonly stripe: Stripe,
    private readonly records: Records,
  ) {}

  /** A page of the benches that are let, newest first, and how many there are altogether. */
  async list(after: string | null) {
    const cursor = after ? { starting_after: after } : {}
    const page = await this.stripe.subscriptions.list({ limit: PAGE, ...cursor })
    const total = (await this.stripe.subscriptions.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })).length
    return {
      total,
      benches: page.data.map((found) => this.shown(found)),
      next: page.has_more ? page.data[page.data.length - 1].id : null,
    }
  }

  /** A bench with its last invoice. */
  async show(id: string) {
    const found = await this.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice.payments'] })
    const last = found.latest_invoice as Stripe.Invoice | null
    return {
      ...this.shown(found),
      last_invoice: last && {
        invoice: last.id,
        number: last.number,
        paid: last.status === 'paid',
        payment: idOf(intentOf(last)),
        total: last.total,
      },
    }
  }

  /** What comes next, as things are now. */
  async next(id: string) {
    const coming = await this.stripe.invoices.createPreview({ subscription: id })
    return {
      bench: id,
      at: coming.next_payment_attempt,
      currency: coming.currency,
      total: coming.total,
      lines: await linesOf(this.stripe, coming),
    }
  }

  /** The kiln room reports firings. What was reported under a reference counts once, however often it is sent. */
  async report(id: string, count: unknown, at: unknown, reference: unknown) {
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > 100) throw new Refused(422, 'count')
    if (typeof reference !== 'string' || !reference) throw new Refused(422, 'reference')
    if (at !== undefined && (typeof at !== 'number' || !Number.isInteger(at))) throw new Refused(422, 'at')
    const found = await this.stripe.subscriptions.retrieve(id)
    const item = byUse(found)
    // A meter knows customers and no benches: what Stripe refused for a bench is refused here.
    if (found.status === 'canceled' || found.status === 'incomplete_expired') throw new Refused(422, 'refused')
    if (at !== undefined && at < item.current_period_start) throw new Refused(422, 'refused')
    const meter = await this.meterOf(item)
    await this.stripe.billing.meterEvents.create(
      {
        event_name: meter.event_name,
        payload: {
          [meter.customer_mapping.event_payload_key]: idOf(found.customer) ?? '',
          [meter.value_settings.event_payload_key]: String(count),
        },
        identifier: `${id}-${reference}`,
        ...(at === undefined ? {} : { timestamp: at }),
      },
      { idempotencyKey: `firing-${id}-${reference}` },
    )
    return { reference, count, ...(await this.firings(id)) }
  }

  /** How many firings there were in the present period. */
  async firings(id: string) {
    const found = await this.stripe.subscriptions.retrieve(id)
    const item = byUse(found)
    const meter = await this.meterOf(item)
    const summaries = await this.stripe.billing.meters.listEventSummaries(meter.id, {
      customer: idOf(found.customer) ?? '',
      start_time: item.current_period_start,
      end_time: item.current_period_end,
    })
    return {
      bench: id,
      ...periodOf(found),
      firings: summaries.data.reduce((sum, one) => sum + one.aggregated_value, 0),
    }
  }

  /** Stop now, or when what is paid for is over. */
  async end(id: string, when: unknown) {
    if (when === 'now') await this.stripe.subscriptions.cancel(id)
    else if (when === 'period end') await this.stripe.subscriptions.update(id, { cancel_at_period_end: true })
    else throw new Refused(422, 'when', { choices: ['now', 'period end'] })
    return await this.show(id)
  }

  private async meterOf(item: Stripe.SubscriptionItem): Promise<Stripe.Billing.Meter> {
    return await this.stripe.billing.meters.retrieve(item.price.recurring?.meter ?? '')
  }

  private shown(found: Stripe.Subscription) {
    return {
      bench: found.id,
      studio: idOf(found.customer),
      place: this.records.place(found.id) ?? found.metadata.place ?? null,
      status: found.status,
      since: found.start_date,
      ...periodOf(found),
      ends: found.cancel_at,
      ended: found.ended_at,
      items: found.items.data.map((item) => ({
        price: item.price.id,
        each: item.price.unit_amount,
        every: item.price.recurring?.interval ?? null,
        by_use: item.price.recurring?.usage_type === 'metered',
        count: item.quantity ?? null,
      })),
    }
  }
}

/** The period of a bench, which its items have now. */
function periodOf(found: Stripe.Subscription): { from: number; to: number } {
  const items = found.items.data
  return {
    from: Math.max(...items.map((item) => item.current_period_start)),
    to: Math.min(...items.map((item) => item.current_period_end)),
  }
}

function byUse(found: Stripe.Subscription): Stripe.SubscriptionItem {
  const item = found.items.data.find((one) => one.price.recurring?.usage_type === 'metered')
  if (!item) throw new Refused(409, 'no kiln')
  return item
}
