import { fromEnvironment } from './config.ts'
import { desk } from './desk.ts'
import { Records } from './records.ts'
import { connect } from './stripe.ts'

const config = fromEnvironment()
const server = desk(connect(config), new Records(config.databasePath))
server.listen(config.port, config.host, () => console.log(`http://${config.host}:${config.port}`))
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    server.close(() => process.exit(0))
    server.closeIdleConnections()
  })
}
