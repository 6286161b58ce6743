import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { apiCall, eventually } from '../../../../dev/control-plane/kubernetes.ts'
import type { KubeObject, StoredObject } from '../../../../operator/api/kind.ts'
import { kinds } from '../../../../operator/api/kinds.ts'
import { isObject } from '../../../../operator/domain/base/json.ts'
import { fc } from '../../../support/properties.ts'
import { makeTestOrganization, type Organization } from '../../support/client.ts'
import { sharedCluster } from '../../support/shared-cluster.ts'
import { pathOfObject } from '../gitops-tool.ts'
import { type Made, type Noun, nounsOf } from './nouns.ts'

const cluster = sharedCluster()
const rounds = process.env.QUARTERMASTER_SOAK ? 50 : 1
const settlesWithinMs = 60_000
/** Long enough for a writer that answers a write of another. */
const pauseMs = 1500

/** One of what was made over REST. */
interface Item {
  readonly noun: Noun
  readonly made: Made
}

/** Fields that say when something was made or changed and by whom, or what the operator does about it. */
const fleeting = new Set([
  'created_at',
  'updated_at',
  'updated_by',
  'last_modified_at',
  'status_changed_at',
  'status_message',
])

function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (fleeting.has(name) ? [] : [[name, lasting(each)]])),
  )
}

async function makeAll(organization: Organization, seed: number): Promise<Item[]> {
  const items: Item[] = []
  for (const [i, noun] of nounsOf(organization).entries()) {
    // Rules of the gateway refuse some bodies.
    for (const body of fc.sample(noun.body, { numRuns: 5, seed: seed + i })) {
      const { status, body: made } = await organization.rest('POST', noun.collection, {
        ...body,
        ...noun.identity,
      })
      expect(status).toBeLessThan(500)
      if (status >= 300) continue
      items.push({ noun, made })
      break
    }
  }
  return items
}

async function shown(organization: Organization, { noun, made }: Item): Promise<unknown> {
  const { status, body } = await organization.rest('GET', noun.readAt?.(made) ?? noun.path(made))
  if (status !== 200) return undefined
  return lasting(noun.part ? noun.part(body, made) : body)
}

async function allShown(organization: Organization, items: readonly Item[]): Promise<object> {
  const entries = items.map(
    async (each) => [each.noun.path(each.made), await shown(organization, each)] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}

const written = kinds.filter(({ kind }) => kind !== 'WebhookCall' && kind !== 'ActiveResource')

/** All objects that people write, except for the membership of the caller, which the operator keeps. */
async function objectsIn(organization: Organization): Promise<StoredObject[]> {
  const all = await Promise.all(written.map(({ plural }) => organization.list<StoredObject>(plural)))
  return all.flat().filter(({ kind, metadata }) => kind !== 'Membership' || metadata.name !== 'admin')
}

async function versions(organization: Organization): Promise<object> {
  const objects = await objectsIn(organization)
  return Object.fromEntries(objects.map((each) => [pathOfObject(each), each.metadata.resourceVersion]))
}

/** Versions as soon as no one writes any more. */
async function untilQuiet(organization: Organization): Promise<object> {
  let last: string | undefined
  return eventually('an end of all writes', settlesWithinMs, async () => {
    await sleep(pauseMs)
    const current = await versions(organization)
    const isQuiet = JSON.stringify(current) === last
    last = JSON.stringify(current)
    return isQuiet ? current : undefined
  })
}

/** An object as docs/operations.md exports it. */
function exported({ apiVersion, kind, metadata, status: _, ...content }: StoredObject): KubeObject {
  const { name, namespace, labels, annotations } = metadata
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    } as KubeObject['metadata'],
    ...content,
  }
}

async function exportAll(organization: Organization): Promise<KubeObject[]> {
  const path = `/api/v1/namespaces/${organization.id}/secrets`
  const { items } = await apiCall<{ items: StoredObject[] }>(cluster.access, 'GET', path)
  const secrets = items.map((each) => ({ ...each, apiVersion: 'v1', kind: 'Secret' }))
  return [...secrets, ...(await objectsIn(organization))].map(exported)
}

async function applyAll(objects: readonly KubeObject[]): Promise<void> {
  for (const each of objects) {
    const path = `${pathOfObject(each)}?fieldManager=git&force=true`
    await apiCall(cluster.access, 'PATCH', path, each, 'application/apply-patch+yaml')
  }
}

async function removeAll(organization: Organization): Promise<void> {
  for (const each of (await objectsIn(organization)).reverse())
    await organization.kube('DELETE', pathOfObject(each))
  await eventually('the end of all objects', settlesWithinMs, async () => {
    const rest = (await objectsIn(organization)).map(pathOfObject)
    if (rest.length > 0) throw new Error(rest.join('\n'))
    return true
  })
}

async function expectShown(
  organization: Organization,
  items: readonly Item[],
  expected: object,
): Promise<void> {
  await eventually('the same over REST', settlesWithinMs, async () => {
    expect(await allShown(organization, items)).toEqual(expected)
    return true
  })
}

/** Writes everything back as it is read, as REST clients do. */
async function writeBack(organization: Organization, items: readonly Item[]): Promise<void> {
  for (const item of items) {
    const path = item.noun.path(item.made)
    for (const method of item.noun.writes) {
      const { status, body } = await organization.rest(method, path, await shown(organization, item))
      expect([method, path, status, status < 300 ? undefined : body]).toEqual([
        method,
        path,
        expect.any(Number),
        undefined,
      ])
    }
  }
}

async function changeAll(organization: Organization, items: readonly Item[]): Promise<void> {
  for (const { noun, made } of items) {
    const [method] = noun.writes
    if (!noun.change || !method) continue
    const { status } = await organization.rest(method, noun.path(made), noun.change)
    expect(status).toBeLessThan(500)
  }
}

async function holdsFor(seed: number): Promise<void> {
  const organization = await makeTestOrganization(cluster, 'doors')
  const items = await makeAll(organization, seed)
  expect(items.length).toBeGreaterThan(15)
  const first = await untilQuiet(organization)
  const asMade = await allShown(organization, items)

  await writeBack(organization, items)
  expect(await untilQuiet(organization)).toEqual(first)

  const git = await exportAll(organization)
  await removeAll(organization)
  expect(Object.values(await allShown(organization, items)).filter(Boolean)).toEqual([])
  await applyAll(git)
  await expectShown(organization, items, asMade)
  const applied = await untilQuiet(organization)
  for (let pass = 0; pass < 2; pass += 1) await applyAll(git)
  await writeBack(organization, items)
  expect(await untilQuiet(organization)).toEqual(applied)

  await changeAll(organization, items)
  expect(await allShown(organization, items)).not.toEqual(asMade)
  // Until then, the operator may delete former Secrets that Git has just applied again.
  await untilQuiet(organization)
  await applyAll(git)
  await expectShown(organization, items, asMade)
  const restored = await untilQuiet(organization)
  await applyAll(git)
  expect(await untilQuiet(organization)).toEqual(restored)
}

test('what REST makes is the same when it is applied from Git, which neither writes again nor loses to REST', async () => {
  await fc.assert(fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 30 }), holdsFor), {
    numRuns: rounds,
    endOnFailure: true,
  })
}, 14_400_000)
