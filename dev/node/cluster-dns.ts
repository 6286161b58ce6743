// The DNS server of the cluster, with the addresses of its Services.
// Usage: node dev/node/cluster-dns.ts --control-plane=DIRECTORY/ --address=ADDRESS
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { pathsIn, readAdminToken, readSettings, urlOf } from '../control-plane/files.ts'
import { type ApiAccess, apiCall } from '../control-plane/kubernetes.ts'
import { startDns } from '../fake-cloudflare/dns/dns.ts'

const refreshEveryMs = 1_000
const timeToLive = 5
const domain = 'svc.cluster.local'

interface ServiceList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly namespace: string }
    readonly spec: { readonly clusterIP?: string }
  }[]
}

const { values } = parseArgs({
  options: { 'control-plane': { type: 'string' }, address: { type: 'string' } },
})
const { 'control-plane': directory = '', address = '' } = values
const access = await accessTo(directory)
let addresses = await readAddresses(access)

await startDns(address, 53, ({ name, type }) => {
  const data = addresses.get(name.toLowerCase())
  const answers = data && type === 'A' ? [{ name, type: 'A', ttl: timeToLive, data } as const] : []
  return { rcode: data ? 'NOERROR' : 'NXDOMAIN', answers, authorities: [] }
})
for (;;) {
  await sleep(refreshEveryMs)
  // Keeps the last addresses while the API server is down.
  addresses = await readAddresses(access).catch(() => addresses)
}

async function accessTo(directory: string): Promise<ApiAccess> {
  const settings = await readSettings(directory)
  if (!settings) throw new Error(`no control plane runs in '${directory}'`)
  return {
    url: urlOf(settings),
    caFile: pathsIn(directory).ca,
    adminToken: await readAdminToken(directory),
  }
}

async function readAddresses(access: ApiAccess): Promise<ReadonlyMap<string, string>> {
  const { items } = await apiCall<ServiceList>(access, 'GET', '/api/v1/services')
  return new Map(
    items.flatMap(({ metadata, spec }) => {
      const { clusterIP = 'None' } = spec
      return clusterIP === 'None' ? [] : [[`${metadata.name}.${metadata.namespace}.${domain}`, clusterIP]]
    }),
  )
}
