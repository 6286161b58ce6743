import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { kindsInStore } from '../../../operator/kube/cache/kinds-in-store.ts'
import { fc } from '../../support/properties.ts'
import { addEverything, type Ids, keepState, pathWith } from '../support/everything.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { changesOf, makeChange } from '../support/stored-changes.ts'

const rounds = process.env.QUARTERMASTER_SOAK ? 500 : 30

let gateway: TestGateway
let restore: () => void
let ids: Ids

/** Changes after which the objects have secrets and some fields that have a default. */
const additions: readonly (readonly [operation: string, body: object])[] = [
  [
    'PATCH /orgs/{org_id}/resources/defs/{def_id}',
    { driver_inputs: { secrets: { token: 'a', tls: { key: 'b' } } }, provision: { 's3.large': {} } },
  ],
  [
    'PATCH /orgs/{org_id}/apps/{app_id}/envs/{env_id}/values/{value_key}',
    { secret_ref: { store: 'kubernetes', ref: 'login/token', version: '7' } },
  ],
  ['PUT /orgs/{org_id}/apps/{app_id}/values/{value_key}', { description: null, is_secret: true, value: 'a' }],
  [
    'PATCH /orgs/{org_id}/registries/{registry_id}',
    { type: 'basic', creds: { username: 'a', password: 'b' } },
  ],
  ['PATCH /orgs/{org_id}/resources/accounts/{account_id}', { credentials: { token: 'a' } }],
]

beforeAll(async () => {
  gateway = await startGateway()
  ids = await addEverything(gateway, 'acme', 'acme')
  for (const [operation, body] of additions)
    expect((await gateway.send(pathWith(operation, ids), { body })).status).toBe(200)
  restore = keepState(gateway.cluster)
})
beforeEach(() => restore())
afterAll(() => gateway.close())

/** Where to read what an operation writes, and which part of the answer it is. */
interface Reading {
  readonly path: string
  partOf(answer: unknown): unknown
}

function itemOf(answer: unknown, key: string, id: string | undefined): unknown {
  return Array.isArray(answer) ? answer.find((each) => isObject(each) && each[key] === id) : undefined
}

/** Parts of the answer at the path above, for the operations whose own path has no GET. */
const parts: Readonly<Record<string, Reading['partOf']>> = {
  '/values/{value_key}': (answer) => itemOf(answer, 'key', ids['value_key']),
  '/versions/{artefact_version_id}': (answer) => itemOf(answer, 'id', ids['artefact_version_id']),
  '/{def_id}/criteria': (answer) => (isObject(answer) ? answer['criteria'] : undefined),
}

function readingOf(path: string): Reading | undefined {
  if (endpoints.some((each) => each.method === 'get' && each.path === path))
    return { path, partOf: (answer) => answer }
  const part = Object.entries(parts).find(([ending]) => path.endsWith(ending))
  return part && { path: path.replace(/\/[^/]+$/, ''), partOf: part[1] }
}

const writes = endpoints.flatMap(({ method, path }) => {
  if (method !== 'put' && method !== 'patch') return []
  const title = `${method.toUpperCase()} ${path}`
  const reading = readingOf(path)
  // The body is not what a GET answers, but a list of changes.
  const isList = title.endsWith('PATCH /orgs/{org_id}/apps/{app_id}/deltas/{delta_id}')
  return reading && !isList ? [{ title, reading }] : []
})

/** Content of the cluster, without versions of objects, which a patch without effect does not change. */
function content() {
  const { store, secrets } = gateway.cluster
  const objects = kindsInStore.flatMap(({ kind }) => Array.from(store.cacheOf(kind).all()))
  const withoutVersions = objects.map((object) => {
    const { resourceVersion: _, ...metadata } = object.metadata
    return { ...object, metadata }
  })
  return [withoutVersions, secrets.map(({ metadata }) => metadata.name)]
}

/** Sends what was read; returns the status, or undefined if there is nothing to read. */
async function writeBack({ title, reading }: (typeof writes)[number]): Promise<number | undefined> {
  const read = await gateway.send(`GET ${pathWith(reading.path, ids)}`)
  const body = read.status === 200 ? reading.partOf(read.body) : undefined
  if (body === undefined) return undefined
  const before = content()
  const { status } = await gateway.send(pathWith(title, ids), { body })
  expect([title, content()]).toEqual([title, before])
  return status
}

test.each(writes)('$title of what was read changes nothing', async (write) => {
  expect(await writeBack(write)).toBeLessThan(300)
})

test('what was read of any object that kubectl can store changes nothing when it is written back', async () => {
  const changes = changesOf(ids).map((each) => ({ ...each, isDeleted: false }))
  const property = fc.asyncProperty(fc.array(changes, { minLength: 6, maxLength: 9 }), async (all) => {
    restore()
    for (const each of all) makeChange(gateway.cluster, each)
    // Rules of the gateway refuse some objects that kubectl can store.
    for (const each of writes) expect((await writeBack(each)) ?? 0).toBeLessThan(500)
  })
  await fc.assert(property, { numRuns: rounds })
}, 300_000)
