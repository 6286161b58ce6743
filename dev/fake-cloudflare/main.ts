import { parseArgs } from 'node:util'
import { startFakeCloudflare } from './server.ts'

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: process.env.FAKE_CLOUDFLARE_HOST },
    port: { type: 'string', default: process.env.FAKE_CLOUDFLARE_PORT },
    'dns-port': { type: 'string', default: process.env.FAKE_CLOUDFLARE_DNS_PORT },
    'zone-id': { type: 'string', default: process.env.FAKE_CLOUDFLARE_ZONE },
    'zone-name': { type: 'string', default: process.env.FAKE_CLOUDFLARE_ZONE_NAME },
    token: { type: 'string', default: process.env.FAKE_CLOUDFLARE_TOKEN },
    state: { type: 'string', default: process.env.FAKE_CLOUDFLARE_STATE },
  },
})
const { host, port, state, token } = values
const zone = {
  ...(values['zone-id'] === undefined ? {} : { id: values['zone-id'] }),
  ...(values['zone-name'] === undefined ? {} : { name: values['zone-name'] }),
}
const fake = await startFakeCloudflare({
  zone,
  ...(host === undefined ? {} : { host }),
  ...(port === undefined ? {} : { port: Number(port) }),
  ...(values['dns-port'] === undefined ? {} : { dnsPort: Number(values['dns-port']) }),
  ...(token === undefined ? {} : { token }),
  ...(state === undefined ? {} : { state }),
})
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void fake.close())

const { url, dnsPort, zoneId } = fake
console.log(JSON.stringify({ url, dnsPort, zoneId }))
