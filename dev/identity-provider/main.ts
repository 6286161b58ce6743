import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { developmentClient, secretFileIn } from './process.ts'
import { startIdentityProvider } from './server.ts'

const { values } = parseArgs({
  options: { directory: { type: 'string' }, gateway: { type: 'string' }, port: { type: 'string' } },
})
const { directory = '.dev', gateway = 'http://127.0.0.1:8080', port = '0' } = values
const client = developmentClient(gateway)
await writeFile(secretFileIn(directory), client.secret, { mode: 0o600 })
const provider = await startIdentityProvider({ client, port: Number(port) })
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void provider.close())

console.log(JSON.stringify({ issuer: provider.issuer }))
