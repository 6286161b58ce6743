import { silentLog } from '../../../operator/log.ts'
import { startGateway } from './gateway.ts'
import type { Condition } from './gateway-process.ts'
import { addEnvironment } from './objects.ts'

const errors: string[] = []
const gateway = await startGateway({ log: { ...silentLog, error: (message) => errors.push(message) } })
addEnvironment(gateway)
process.on('message', () => {
  const condition: Condition = { rss: process.memoryUsage.rss(), errors }
  process.send?.(condition)
})
process.on('disconnect', () => process.exit())
process.send?.({ port: gateway.port })
