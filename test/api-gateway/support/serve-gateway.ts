import { monitorEventLoopDelay } from 'node:perf_hooks'
import { silentLog } from '../../../operator/log.ts'
import { startGateway } from './gateway.ts'
import type { Condition } from './gateway-process.ts'
import { addEnvironment } from './objects.ts'

const errors: string[] = []
const gateway = await startGateway({ log: { ...silentLog, error: (message) => errors.push(message) } })
addEnvironment(gateway)
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
process.on('message', () => {
  const condition: Condition = {
    rss: process.memoryUsage.rss(),
    delayMs: delay.percentile(99) / 1e6,
    errors,
  }
  process.send?.(condition)
  delay.reset()
})
process.on('disconnect', () => process.exit())
process.send?.({ port: gateway.port })
