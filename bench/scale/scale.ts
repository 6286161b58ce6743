import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { ActiveResource } from '../../operator/api/active-resource.ts'
import { DeploymentDelta } from '../../operator/api/deployment-delta.ts'
import { isAlreadyExists } from '../../operator/kube/client/api-error.ts'
import { pathOf, resourceOf } from '../../operator/kube/client/resource.ts'
import type { AuditReader } from '../audit.ts'
import type { Bed } from '../bed.ts'
import { checkResources, makeEnvironment, type Stage } from '../client-steps.ts'
import { measure, requestsIn, type Sample, sumOf } from '../measure.ts'
import { application, environment, independentDelta, namespaceOf, organization } from '../objects.ts'
import { lifeOf } from '../scenarios.ts'
import { rounded } from '../statistics.ts'
import { cpuSecondsOf, memoryMiB } from '../usage.ts'
import { objectsPerResource, type Work } from '../work.ts'

/** One deployment of so many resources, from its beginning to its deletion, in an otherwise empty cluster. */
export interface ScaleRow {
  readonly resources: number
  readonly work: Work
  readonly steps: readonly (Sample & { readonly name: string; readonly about: number })[]
  /** Bytes of the stored objects, as JSON, and how much the database grew, history included. */
  readonly storedBytes: number
  readonly databaseBytes: number
  /** While all resources exist. */
  readonly residentMiB: Readonly<Record<string, number>>
  /** Requests of operator and gateway in a minute without work; watches do not count. */
  readonly idleRequests: number
  /** One list of all resources over REST. */
  readonly list: { readonly milliseconds: number; readonly gatewayCpuMs: number; readonly bytes: number }
}

/** A third of a minute. */
const idleMs = 20_000
const listRepeats = 5

/** Measures each size with each kind of work. */
export async function measureScale(
  bed: Bed,
  stage: Stage,
  audit: AuditReader,
  {
    sizes,
    works,
    say,
    save,
  }: {
    readonly sizes: readonly number[]
    readonly works: readonly Work[]
    readonly say: (line: string) => void
    /** Called after each row with those so far: a long run that fails leaves them. */
    readonly save: (rows: readonly ScaleRow[]) => Promise<void>
  },
): Promise<ScaleRow[]> {
  const rows: ScaleRow[] = []
  for (const resources of sizes) {
    for (const work of works) {
      const row = await measureSize(bed, stage, audit, { resources, work })
      for (const { name, seconds, writes, reads } of row.steps)
        say(`${name}: ${seconds} s, ${writes} writes, ${reads} reads`)
      rows.push(row)
      await save(rows)
    }
  }
  return rows
}

async function measureSize(
  bed: Bed,
  stage: Stage,
  audit: AuditReader,
  { resources, work }: Pick<ScaleRow, 'resources' | 'work'>,
): Promise<ScaleRow> {
  const id = `scale-${resources}-${work}`
  await ensureDelta(bed, resources, work)
  await makeEnvironment(stage, id)
  const steps: ScaleRow['steps'][number][] = []
  const before = await databaseBytes(bed)
  let resident: Omit<ScaleRow, 'resources' | 'work' | 'steps'> | undefined
  for (const scenario of lifeOf(resources, work)) {
    const sample = await measure(bed, audit, () => scenario.run(stage, id))
    steps.push({ ...sample, name: scenario.name, about: scenario.resources })
    resident ??= await measureResident(bed, stage, audit, { id, work, before })
    await checkResources(stage, id, scenario.leaves)
  }
  if (!resident) throw new Error('no step was measured')
  return { resources, work, steps, ...resident }
}

async function ensureDelta({ client }: Bed, resources: number, work: Work): Promise<void> {
  const path = pathOf(resourceOf(DeploymentDelta), organization)
  await client.request('POST', path, { body: independentDelta(resources, work) }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
}

async function measureResident(
  bed: Bed,
  stage: Stage,
  audit: AuditReader,
  { id, work, before }: { readonly id: string; readonly work: Work; readonly before: number },
) {
  const databaseGrowth = (await databaseBytes(bed)) - before
  await audit.read()
  await sleep(idleMs)
  const { requests } = requestsIn(await audit.read())
  const ours = [requests['operator'], requests['gateway']].flatMap((each) => Object.values(each ?? {}))
  return {
    databaseBytes: databaseGrowth,
    storedBytes: await storedBytes(bed, id, work),
    residentMiB: await memoryMiB(bed.pids, 'now'),
    idleRequests: 3 * ours.reduce((sum, count) => sum + count, 0),
    list: await measureList(bed, stage, id),
  }
}

async function databaseBytes({ controlPlane }: Bed): Promise<number> {
  const response = await fetch(`${controlPlane.etcdUrl}/metrics`)
  return sumOf(await response.text(), 'etcd_mvcc_db_total_size_in_use_in_bytes')
}

/** The objects of an environment as the API server returns them, which is how it stores them. */
async function storedBytes({ client }: Bed, id: string, work: Work): Promise<number> {
  const own = await client.request('GET', pathOf(resourceOf(ActiveResource), organization))
  const namespace = namespaceOf(id)
  const paths = kindsOf(work).map((path) => path.replace('{namespace}', namespace))
  const made = await Promise.all(
    paths.map((path) =>
      client.request('GET', path, { query: { labelSelector: 'quartermaster.dev/resource' } }),
    ),
  )
  const { name } = environment(id).metadata
  const { items } = own as { items: ActiveResource[] } // the shape of a list
  const resources = items.filter(({ spec }) => spec.environmentName === name)
  const objects = made.flatMap((list) => (list as { items: unknown[] }).items) // the shape of a list
  return [...resources, ...objects].reduce((sum: number, each) => sum + JSON.stringify(each).length, 0)
}

function kindsOf(work: Work): string[] {
  if (objectsPerResource(work) === 0) return []
  const core = '/api/v1/namespaces/{namespace}'
  if (work !== 'five') return [`${core}/configmaps`]
  return [
    ...['configmaps', 'serviceaccounts', 'services'].map((each) => `${core}/${each}`),
    '/apis/apps/v1/namespaces/{namespace}/deployments',
    '/apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses',
  ]
}

async function measureList(
  bed: Bed,
  { gatewayUrl, adminToken }: Stage,
  id: string,
): Promise<ScaleRow['list']> {
  const { gateway = 0 } = bed.pids
  const url = `${gatewayUrl}/orgs/${organization}/apps/${application}/envs/${id}/resources`
  const cpu = async () => (await cpuSecondsOf({ gateway }))['gateway'] ?? 0
  const [cpuBefore, begun] = [await cpu(), performance.now()]
  let bytes = 0
  for (let i = 0; i < listRepeats; i += 1) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${adminToken}` } })
    if (!response.ok) throw new Error(`the gateway answered ${response.status}`)
    bytes = (await response.arrayBuffer()).byteLength
  }
  return {
    milliseconds: rounded((performance.now() - begun) / listRepeats, 1),
    gatewayCpuMs: rounded((((await cpu()) - cpuBefore) * 1000) / listRepeats, 1),
    bytes,
  }
}

const begin = '<!-- measured: make bench -->'
const end = '<!-- end of measured -->'

/** Replaces the tables of a page by those of this run. */
export async function writeTables(page: string, tables: string): Promise<void> {
  const text = await readFile(page, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`'${page}' has no '${begin}' before '${end}'`)
  await writeFile(page, `${text.slice(0, from + begin.length)}\n\n${tables}\n\n${text.slice(to)}`)
}
