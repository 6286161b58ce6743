import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { provideBundles } from '../../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { ensureDevelopmentAuthority } from '../../../dev/development-authority.ts'
import {
  outsideWorld,
  type RunningCloudflare,
  startCloudflare,
} from '../../../dev/fake-cloudflare/process.ts'
import type { StoredRecord } from '../../../dev/fake-cloudflare/records.ts'
import type { Zone } from '../../../dev/fake-cloudflare/zones.ts'
import { installInto, type RunningProcess, startQuartermaster } from '../../../dev/quartermaster.ts'
import { guResId } from '../../../operator/domain/resource/identity.ts'
import { conditionStatus, eventually, moduleWith } from '../support/client.ts'
import { type DnsOrganization, makeDnsOrganization } from '../support/cloudflare.ts'

const isSoak = Boolean(process.env.QUARTERMASTER_SOAK)
const rounds = isSoak ? 12 : 1
const kills = isSoak ? 3 : 2
const resourceCount = 20
const externals = Object.fromEntries(
  Array.from({ length: resourceCount }, (_, i) => [`dns-${i}`, { type: 'dns' }]),
)
const content = { modules: { web: moduleWith(externals) } }
/** Loses the answer to one change after it was made: a running operator waits 10 seconds before it reads. */
const losses = [
  { do: 'reset', commit: 'before' },
  { do: 'status', status: 502, commit: 'before' },
] as const

let controlPlane: ControlPlane
let cloudflare: RunningCloudflare
let directory = ''
let operator: RunningProcess
let organization: DnsOrganization & { readonly spare: Zone }

const start = () =>
  startQuartermaster(controlPlane, 'operator', {
    directory,
    settings: {
      ...outsideWorld(cloudflare, directory),
      QUARTERMASTER_IDENTITY: 'operator', // a container that is started again is the same candidate
      QUARTERMASTER_LEASE_SECONDS: '30',
      QUARTERMASTER_RESYNC_SECONDS: '2',
    },
  })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-dns-'))
  await ensureDevelopmentAuthority(directory)
  ;[controlPlane, cloudflare] = await Promise.all([
    startControlPlane({ directory }),
    startCloudflare(directory),
  ])
  await Promise.all([provideBundles(directory, ['operator']), installInto(controlPlane)])
  operator = await start()
  const cluster = { access: controlPlane, directory, cloudflare }
  organization = await makeDnsOrganization(cluster, 'dnscrash', { spareZone: true })
}, 300_000)

afterAll(async () => {
  await operator?.stop()
  await cloudflare?.stop()
  await controlPlane?.stop()
})

async function restart(): Promise<void> {
  await operator.kill()
  operator = await start()
}

/** Kills the operator now and then during the work, from before its start until after its end. */
async function amidKills<T>(work: Promise<T>): Promise<T> {
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(Math.random() ** 2 * 900)
    await restart()
  }
  return work
}

const loseOne = async (round: number) => {
  const rule = losses[round % losses.length] ?? losses[0]
  const { provider, token } = organization
  await provider.misbehave(token, { match: { method: 'POST', path: 'batch' }, ...rule })
}

const lostAnswers = async () => {
  const calls = await organization.provider.calls(organization.token)
  return calls.filter(({ committed, status }) => committed && status !== 200).length
}

/** GUResIDs of the resources of an environment, known before the resources exist. */
const idsOf = (environmentId: string) =>
  Object.keys(externals).map((name) =>
    guResId(
      {
        organizationId: organization.id,
        applicationId: 'shop',
        environmentId,
        environmentType: 'development',
      },
      { type: 'dns', class: 'default', resourceId: `modules.web.externals.${name}` },
    ),
  )

/** GUResIDs that records in a zone are marked with. */
async function marksIn(zone: Zone): Promise<string[]> {
  return (await organization.provider.records(zone))
    .filter(({ type }) => type === 'A')
    .flatMap(({ comment }) => /^quartermaster:[0-9a-f]{8}:([0-9a-f]{40})$/.exec(comment ?? '')?.[1] ?? [])
    .sort()
}

/** How many times each name was made in a zone. */
async function creationsIn(zone: Zone): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const { path, body, committed } of await organization.provider.calls(organization.token)) {
    if (!committed || !path.includes(zone.id)) continue
    for (const { name } of (body as { posts: { name: string }[] }).posts) // a batch
      counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** Records of others, some of them of the same names as ours will have. */
async function seed(environment: string): Promise<StoredRecord[]> {
  const { provider, zone, spare } = organization
  const seeds: StoredRecord[] = []
  for (const where of [zone, spare]) {
    seeds.push(await provider.addRecord(where, { name: `${environment}-theirs`, content: '192.0.2.50' }))
    for (const id of idsOf(environment).slice(0, 5)) {
      const name = `shop-${environment}-${id.slice(0, 8)}`
      const comment = `quartermaster:00000000:${id}` // of another installation
      seeds.push(await provider.addRecord(where, { name, type: 'TXT', content: 'theirs', comment }))
    }
  }
  return seeds
}

describe.each(Array.from({ length: rounds }, (_, round) => [round] as const))('storm %i', (round) => {
  const environment = `storm${round}`
  let seeds: StoredRecord[] = []
  let ids: string[] = []
  const deploy = async (zone: Zone) => {
    await organization.defineDns('dns', { zone })
    expect(conditionStatus(await organization.deploy(`shop.${environment}`, content), 'Ready')).toBe('True')
  }

  test('SIGKILL and lost answers while names are made leave exactly one record for each', async () => {
    const { zone, spare } = organization
    ids = idsOf(environment).sort()
    seeds = await seed(environment)
    await organization.environment('shop', environment)
    await loseOne(round)
    const before = await lostAnswers()
    const deployed = deploy(zone)
    // The next process knows nothing of the loss, so it need not wait; in half of the storms the one that lost lives on.
    if (round % 2 === 0) {
      await eventually('a lost answer', 30_000, async () =>
        (await lostAnswers()) > before ? true : undefined,
      )
      await restart()
    }
    await amidKills(deployed)
    expect(await marksIn(zone)).toEqual(ids)
    expect(await marksIn(spare)).toEqual([])
  })

  test('also while they move to another zone and back', async () => {
    const { zone, spare } = organization
    await amidKills(deploy(spare))
    expect(await marksIn(spare)).toEqual(ids)
    expect(await marksIn(zone)).toEqual([])
    if (isSoak) await loseOne(round + 1)
    await amidKills(deploy(zone))
    expect(await marksIn(zone)).toEqual(ids)
    expect(await marksIn(spare)).toEqual([])
  })

  test('and each was created once per move: objects of lost answers are adopted', async () => {
    const { zone, spare } = organization
    const ofRound = async (where: Zone) =>
      [...(await creationsIn(where))].filter(([name]) => name.startsWith(`shop-${environment}-`))
    expect(new Set((await ofRound(zone)).map(([, times]) => times))).toEqual(new Set([2]))
    expect(new Set((await ofRound(spare)).map(([, times]) => times))).toEqual(new Set([1]))
  })

  test('also while they are deleted: none is left, and those of others are untouched', async () => {
    const { provider, zone, spare } = organization
    await loseOne(round)
    await organization.remove('environments', `shop.${environment}`)
    const ended = eventually('the end of the environment', 60_000, async () =>
      (await organization.get('environments', `shop.${environment}`)) ? undefined : true,
    )
    await amidKills(ended)
    const records = [...(await provider.records(zone)), ...(await provider.records(spare))]
    const ofRound = records.filter(({ name }) => name.includes(environment))
    const byId = (one: StoredRecord, other: StoredRecord) => (one.id < other.id ? -1 : 1)
    expect(ofRound.toSorted(byId)).toEqual(seeds.toSorted(byId))
  })
})

describe('a record that another client changes at the provider', () => {
  const restored = (id: string, fits: (record: StoredRecord) => boolean) =>
    eventually('the record as it was', 30_000, async () => {
      const found = (await organization.provider.records(organization.zone)).find(({ comment }) =>
        comment?.endsWith(id),
      )
      return found && fits(found) ? found : undefined
    })
  let before: StoredRecord[] = []
  beforeAll(async () => {
    await organization.environment('shop', 'touched')
    await organization.deploy('shop.touched', {
      modules: { web: moduleWith({ one: { type: 'dns' }, two: { type: 'dns' } }) },
    })
    // For a minute after it wrote a record, an operator takes a list without that record to be late.
    await restart()
    before = (await organization.provider.records(organization.zone)).filter(({ name }) =>
      name.startsWith('shop-touched-'),
    )
  })

  test('is restored by the resync when it was changed', async () => {
    const [record] = before
    if (!record) throw new Error('the record is missing')
    await organization.provider.changeRecord(record.id, { content: '203.0.113.9', ttl: 60 })
    const after = await restored(record.comment ?? '', ({ content }) => content === record.content)
    expect(after).toMatchObject({ id: record.id, ttl: record.ttl })
  })

  test('is created again by the resync when it was deleted', async () => {
    const [, record] = before
    if (!record) throw new Error('the record is missing')
    await organization.provider.removeRecord(record.id)
    const after = await restored(record.comment ?? '', ({ id }) => id !== record.id)
    expect(after).toMatchObject({ name: record.name, content: record.content })
    expect(await organization.provider.records(organization.zone)).toHaveLength(before.length + 6 * rounds)
  })
})

test('the token is not in the log of the operator', async () => {
  const log = await readFile(join(directory, 'operator.log'), 'utf8')
  expect(log).not.toContain(organization.token.value)
})
