// Benches that are let by the month, and the kiln firings that their potters use.
import type { Past } from './past.ts'
import { lineOf } from './lines.ts'
import { Refused } from './problems.ts'
import type { Records } from './records.ts'
import { idOf } from './stripe.ts'

const PAGE = 20

export class Benches {
  constructor(
    private readonly stripe: Past,
    private readonly records: Records,
  ) {}

  /** A page of the benches that are let, newest first, and how many there are altogether. */
  async list(after: string | null) {
    const cursor = after ? { starting_after: after } : {}
    const asked = { limit: PAGE, include: ['total_count'], ...cursor }
    const page = await this.stripe.subscriptions.list(asked)
    const { total_count } = page
    return {
      total: total_count,
      benches: page.data.map((found: any) => this.shown(found)),
      next: page.has_more ? page.data[page.data.length - 1].id : null,
    }
  }

  /** A bench with its last invoice. */
  async show(id: string) {
    const found = await this.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    const last = found.latest_invoice
    return {
      ...this.shown(found),
      last_invoice: last && {
        invoice: last.id,
        number: last.number,
        paid: last.paid,
        payment: idOf(last.payment_intent),
        total: last.total,
      },
    }
  }

  /** What comes next, as things are now. */
  async next(id: string) {
    const coming = await this.stripe.invoices.retrieveUpcoming({ subscription: id })
    return {
      bench: id,
      at: coming.next_payment_attempt,
      currency: coming.currency,
      total: coming.total,
      lines: coming.lines.data.map(lineOf),
    }
  }

  /** The kiln room reports firings. What was reported under a reference counts once, however often it is sent. */
  async report(id: string, count: unknown, at: unknown, reference: unknown) {
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > 100) throw new Refused(422, 'count')
    if (typeof reference !== 'string' || !reference) throw new Refused(422, 'reference')
    if (at !== undefined && (typeof at !== 'number' || !Number.isInteger(at))) throw new Refused(422, 'at')
    const item = byUse(await this.stripe.subscriptions.retrieve(id))
    await this.stripe.subscriptionItems.createUsageRecord(
      item.id,
      { quantity: count, timestamp: at ?? 'now', action: 'increment' },
      { idempotencyKey: `firing-${id}-${reference}` },
    )
    return { reference, count, ...(await this.firings(id)) }
  }

  /** How many firings there were in the present period. */
  async firings(id: string) {
    const found = await this.stripe.subscriptions.retrieve(id)
    const summaries = await this.stripe.subscriptionItems.listUsageRecordSummaries(byUse(found).id, { limit: 1 })
    return {
      bench: id,
      from: found.current_period_start,
      to: found.current_period_end,
      firings: summaries.data[0].total_usage,
    }
  }

  /** Stop now, or when what is paid for is over. */
  async end(id: string, when: unknown) {
    if (when === 'now') await this.stripe.subscriptions.del(id)
    else if (when === 'period end') await this.stripe.subscriptions.update(id, { cancel_at_period_end: true })
    else throw new Refused(422, 'when', { choices: ['now', 'period end'] })
    return await this.show(id)
  }

  private shown(found: any) {
    return {
      bench: found.id,
      studio: idOf(found.customer),
      place: this.records.place(found.id) ?? found.metadata.place ?? null,
      status: found.status,
      since: found.start_date,
      from: found.current_period_start,
      to: found.current_period_end,
      ends: found.cancel_at,
      ended: found.ended_at,
      items: found.items.data.map((item: any) => ({
        price: item.price.id,
        each: item.price.unit_amount,
        every: item.price.recurring?.interval ?? null,
        by_use: item.price.recurring?.usage_type === 'metered',
        count: item.quantity ?? null,
      })),
    }
  }
}

function byUse(found: any): any {
  const item = found.items.data.find((one: any) => one.price.recurring?.usage_type === 'metered')
  if (!item) throw new Refused(409, 'no kiln')
  return item
}
