import { parseArgs } from 'node:util'
import { startReceiver } from './receiver.ts'

const { values } = parseArgs({ options: { directory: { type: 'string' }, port: { type: 'string' } } })
const { directory = '.dev', port = '0' } = values
const receiver = await startReceiver({ directory, port: Number(port) })
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void receiver.close())

console.log(JSON.stringify({ url: receiver.url }))
