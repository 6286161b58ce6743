import { once } from 'node:events'
import { createServer } from 'node:http'
import { closeServer } from '../close-server.ts'
import type { Controlled } from './control.ts'
import { startDns } from './dns/dns.ts'
import { resolve } from './dns/resolve.ts'
import { serve } from './handler.ts'
import { createJournal, type JournalEntry } from './journal.ts'
import { createLimiter, defaultLimits, type Limits } from './limits.ts'
import { createMisbehaviour } from './misbehave.ts'
import { createRecords, type StoredRecord } from './records.ts'
import { createKeeper, readState } from './state.ts'
import { createTokens } from './tokens.ts'
import { createZones, identifier, type Zone } from './zones.ts'

export interface FakeCloudflareOptions {
  /** Any free port when not given. */
  readonly port?: number
  readonly dnsPort?: number
  readonly host?: string
  readonly zone?: Partial<Zone>
  /** Value of the token `main`, which may edit every zone. */
  readonly token?: string
  readonly limits?: Partial<Limits>
  /** File that keeps records and zones over restarts. */
  readonly state?: string
  readonly clock?: () => number
}

export interface FakeCloudflare {
  /** Without `/client/v4`. */
  readonly url: string
  readonly dnsPort: number
  readonly zoneId: string
  readonly zoneName: string
  readonly token: string
  records(): readonly StoredRecord[]
  calls(): readonly JournalEntry[]
  close(): Promise<void>
}

const usualToken = 'fake-cloudflare-token-0123456789-abcdefg'

/** Starts the interface and a DNS server over the same records; resolves when both listen. */
export async function startFakeCloudflare(options: FakeCloudflareOptions = {}): Promise<FakeCloudflare> {
  const { host = '127.0.0.1', token = usualToken, clock = Date.now } = options
  const zoneName = options.zone?.name ?? 'example.test'
  const zone: Zone = { name: zoneName, id: options.zone?.id ?? identifier(`zone/${zoneName}`) }
  const controlled = createControlled(zone, token, { ...defaultLimits, ...options.limits }, clock)
  const { records, zones } = controlled.account
  const flush = keepState(controlled, options.state)

  const dns = await startDns(host, options.dnsPort ?? 0, (question) => resolve(records, zones, question))
  const server = createServer((request, response) => {
    serve(controlled, request, response).catch((error: unknown) => {
      if (!request.destroyed) console.error(error)
      request.socket.destroy()
    })
  })
  server.listen(options.port ?? 0, host)
  await once(server, 'listening').catch(async (error: unknown) => {
    await dns.close()
    throw error
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : options.port

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    dnsPort: dns.port,
    zoneId: zone.id,
    zoneName,
    token,
    records: () => records.all(),
    calls: () => controlled.journal.all(),
    async close() {
      await Promise.all([closeServer(server), dns.close()])
      flush()
    },
  }
}

function createControlled(zone: Zone, token: string, limits: Limits, clock: () => number): Controlled {
  const misbehaviour = createMisbehaviour()
  return {
    account: {
      records: createRecords(clock),
      zones: createZones([zone]),
      limits,
      clock,
      listingDelayMs: misbehaviour.listingDelayMs,
    },
    tokens: createTokens([{ name: 'main', value: token, rights: ['read', 'edit'], status: 'active' }]),
    limiter: createLimiter(limits, clock),
    journal: createJournal(),
    misbehaviour,
  }
}

/** Takes up what the file holds and keeps it up to date; returns what writes the rest. */
function keepState({ account: { records, zones } }: Controlled, file: string | undefined): () => void {
  if (file === undefined) return () => {}
  const state = readState(file)
  for (const each of state.zones) zones.add(each)
  for (const record of state.records) records.put(record)
  const keeper = createKeeper(file, () => ({ zones: zones.all(), records: records.all() }))
  records.onChange(keeper.changed)
  return keeper.flush
}
