// Write our own records anew from what is noted at Stripe: which sale, studio and bench is which.
// Run it on a fresh machine, or whenever they were lost:  npm run link
import { fromEnvironment } from '../src/config.ts'
import { Records } from '../src/records.ts'
import { connect } from '../src/stripe.ts'

const config = fromEnvironment()
const stripe = connect(config)
const records = new Records(config.databasePath)
for await (const customer of stripe.customers.list({ limit: 100 })) {
  records.writeStudio(customer.id, customer.metadata.known_as || customer.name || customer.id)
}
for await (const intent of stripe.paymentIntents.list({ limit: 100 })) {
  if (intent.metadata.sale) records.writeSale(intent.metadata.sale, intent.metadata.what ?? '?', intent.id)
}
for await (const bench of stripe.subscriptions.list({ limit: 100, status: 'all' })) {
  records.writeBench(bench.id, bench.metadata.place ?? '?')
}
for (const [table, count] of records.counts()) console.log(`${count} ${table}`)
records.close()
