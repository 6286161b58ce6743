import { Pool } from 'undici'
import { DeploymentDelta } from '../../operator/api/deployment-delta.ts'
import { type Manifest, newObject } from '../../operator/api/kind.ts'
import { fieldManager } from '../../operator/api/names.ts'
import type { KubeClient } from '../../operator/kube/client/client.ts'
import { inParallel } from '../../operator/kube/client/parallel.ts'
import { pathOf, resourceOf } from '../../operator/kube/client/resource.ts'
import type { Stage } from '../client-steps.ts'
import { application, organization } from '../objects.ts'
import { rounded } from '../statistics.ts'
import { type Latencies, latenciesOf } from './load.ts'

/** One kind of write, over the gateway and directly, each in turn. */
export interface Write {
  readonly name: string
  readonly atOnce: number
  readonly gateway: Latencies
  readonly direct: Latencies
  /** What the gateway adds to the median and to the 99th percentile, in milliseconds. */
  readonly addedMs: { readonly p50: number; readonly p99: number }
}

type Work = (index: number) => Promise<unknown>

/** A pause of the API server falls on one of the two ways: the median round counts. */
const rounds = 3
const query = { fieldManager }

/** Measures writes that are one write to the API server each, with the same identity on both ways; `requests` on each in a round. */
export async function measureWrites(stage: Stage, client: KubeClient, requests: number): Promise<Write[]> {
  const rest = restClient(stage)
  try {
    const writes: Write[] = []
    for (const atOnce of [1, 8]) {
      const load = { atOnce, requests }
      writes.push(
        await compare('create a delta', load, (round) => creations(rest, client, `new-${atOnce}-${round}`)),
      )
      writes.push(
        await compare('change a delta', load, (round) => changes(rest, client, `of-${atOnce}-${round}`)),
      )
    }
    return writes
  } finally {
    await rest.close()
  }
}

const deltas = `/orgs/${organization}/apps/${application}/deltas`
const resource = resourceOf(DeploymentDelta)
const content = { shared: [{ op: 'add' as const, path: '/bucket', value: { type: 's3' } }] }

function creations(rest: RestClient, client: KubeClient, mark: string) {
  return {
    gateway: () => rest('POST', deltas, content, 200),
    direct: (index: number) =>
      client.request('POST', pathOf(resource, organization), { body: newDelta(`${mark}-${index}`), query }),
  }
}

function newDelta(name: string): Manifest<typeof DeploymentDelta> {
  return newObject(
    DeploymentDelta,
    { name, namespace: organization },
    { applicationName: application, ...content },
  )
}

/** Each request has its own delta, since two changes of one delta at once are a conflict. */
async function changes(rest: RestClient, client: KubeClient, mark: string) {
  const ids: string[] = []
  const objects: DeploymentDelta[] = []
  for (let index = 0; index < 16; index += 1) {
    ids.push(((await rest('POST', deltas, content, 200)) as { id: string }).id)
    const body = newDelta(`${mark}-${index}`)
    objects.push(
      (await client.request('POST', pathOf(resource, organization), { body, query })) as DeploymentDelta,
    ) // as it is now
  }
  const value = (index: number) => ({ type: 's3', params: { revision: index } })
  return {
    gateway: (index: number) => {
      const shared = [{ op: 'add', path: '/spec/shared/bucket', value: value(index) }]
      return rest('PATCH', `${deltas}/${ids[index % 16]}`, [{ shared }], 200)
    },
    async direct(index: number) {
      const object = objects[index % 16] as DeploymentDelta // there are sixteen
      const shared = [{ op: 'add' as const, path: '/bucket', value: value(index) }]
      const body = { ...object, spec: { ...object.spec, shared } }
      const path = pathOf(resource, organization, object.metadata.name)
      objects[index % 16] = (await client.request('PUT', path, { body, query })) as DeploymentDelta // as it is now
    },
  }
}

interface Ways {
  readonly gateway: Work
  readonly direct: Work
}

/** Requests of each way in a round, and how many of both are under way. */
interface WriteLoad {
  readonly requests: number
  readonly atOnce: number
}

/** The round whose difference is the median one. */
async function compare(
  name: string,
  load: WriteLoad,
  waysOf: (round: number) => Ways | Promise<Ways>,
): Promise<Write> {
  const all: Write[] = []
  for (let round = 1; round <= rounds; round += 1)
    all.push({ name, atOnce: load.atOnce, ...(await compareOnce(load, await waysOf(round))) })
  const [median] = all.toSorted((left, right) => left.addedMs.p99 - right.addedMs.p99).slice(rounds >> 1)
  if (!median) throw new Error('no round was measured')
  return median
}

/** The two ways take turns, so that other work of the machine affects both. */
async function compareOnce(
  { requests, atOnce }: WriteLoad,
  { gateway, direct }: Ways,
): Promise<Pick<Write, 'gateway' | 'direct' | 'addedMs'>> {
  const latencies = { gateway: [] as number[], direct: [] as number[] }
  const timed = async (into: number[], work: Work, index: number) => {
    const begun = performance.now()
    await work(index)
    into.push(performance.now() - begun)
  }
  const indexes = Array.from({ length: 2 * requests }, (_, index) => index)
  await inParallel(
    indexes,
    (index) => {
      const isGateway = index % 2 === 0
      return timed(isGateway ? latencies.gateway : latencies.direct, isGateway ? gateway : direct, index >> 1)
    },
    atOnce,
  )
  const [over, straight] = [latenciesOf(latencies.gateway), latenciesOf(latencies.direct)]
  const addedMs = {
    p50: rounded(over.p50Ms - straight.p50Ms, 2),
    p99: rounded(over.p99Ms - straight.p99Ms, 2),
  }
  return { gateway: over, direct: straight, addedMs }
}

interface RestClient {
  (method: 'POST' | 'PATCH', path: string, body: object, expected: number): Promise<unknown>
  close(): Promise<void>
}

function restClient({ gatewayUrl, adminToken }: Stage): RestClient {
  const pool = new Pool(gatewayUrl, { connections: 16 })
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const send = async (method: 'POST' | 'PATCH', path: string, content: object, expected: number) => {
    const { statusCode, body } = await pool.request({ method, path, headers, body: JSON.stringify(content) })
    const text = await body.text()
    if (statusCode !== expected) throw new Error(`${method} ${path} was answered with ${statusCode}: ${text}`)
    return JSON.parse(text) as unknown
  }
  return Object.assign(send, { close: () => pool.close() })
}
