import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { buildBundles } from '../../dev/build.ts'
import { apiCall, eventually } from '../../dev/control-plane/kubernetes.ts'
import { type RunningProcess, startQuartermaster } from '../../dev/quartermaster.ts'
import type { KubeObject, StoredObject } from '../../operator/api/kind.ts'
import { kinds } from '../../operator/api/kinds.ts'
import { startEmptyCluster } from './cluster.ts'
import { chart } from './support.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
/** The version to upgrade from; `git` must know it. */
const previous = process.env['PREVIOUS_REVISION'] ?? 'HEAD~1'
const withinMs = 120_000
const settings = { QUARTERMASTER_LEASE_SECONDS: '60' }

const { controlPlane, directory, release, untilServed, read, kubectl } = await startEmptyCluster()
const namespace = 'work'
const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${namespace}`
let running: RunningProcess[] = []
afterAll(async () => {
  await Promise.all(running.map((process) => process.stop()))
  await controlPlane.stop()
})

/** The tree of the previous version, with the packages of this one. */
async function previousTree(): Promise<string> {
  const tree = join(directory, 'previous')
  await mkdir(tree)
  await run('bash', ['-euo', 'pipefail', '-c', `git archive '${previous}' | tar -x -C '${tree}'`], {
    cwd: root,
  })
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'))
  return tree
}

/** Replaces both processes, as the rolling upgrade of pods does. */
async function startProcesses(folder: string): Promise<void> {
  await Promise.all(running.map((process) => process.stop()))
  const options = { directory: folder, settings }
  running = await Promise.all(
    (['operator', 'gateway'] as const).map((name) => startQuartermaster(controlPlane, name, options)),
  )
}

const object = (kind: string, name: string, spec?: object, more: object = {}): KubeObject => ({
  apiVersion: 'quartermaster.dev/v1alpha1',
  kind,
  metadata: { name, namespace },
  ...(spec ? { spec } : {}),
  ...more,
})
const postgres = (name: string, secret: string, criterion: object) =>
  object('ResourceDefinition', name, {
    type: 'postgres',
    driverType: 'quartermaster/echo',
    driverInputs: {
      values: { host: 'postgres.internal', port: 5432, name: 'db' },
      secretRefs: { username: { secret, key: 'user' }, password: { secret, key: 'password' } },
    },
    criteria: [criterion],
  })
const secret = (name: string) =>
  object('Secret', name, undefined, {
    apiVersion: 'v1',
    stringData: { user: 'shop', password: 'example-only' },
  })
const deployed = ['done', 'waiting']
const organization: KubeObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: { 'quartermaster.dev/organization': namespace } },
  },
  object('EnvironmentType', 'development', {}),
  secret('there'),
  postgres('with-secret', 'there', { envId: 'done' }),
  postgres('without-secret', 'missing', { envId: 'waiting' }),
  object('Application', 'shop', {}),
  object('DeploymentDelta', 'first', {
    applicationName: 'shop',
    shared: [{ op: 'add', path: '/db', value: { type: 'postgres' } }],
  }),
  ...deployed.flatMap((environment) => [
    object('Environment', `shop.${environment}`, { applicationName: 'shop', typeName: 'development' }),
    object('EnvironmentDeployment', `shop.${environment}.1`, {
      environmentName: `shop.${environment}`,
      deltaName: 'first',
    }),
  ]),
]

const apply = (objects: readonly KubeObject[]) =>
  kubectl(objects.map((each) => JSON.stringify(each)).join('\n'), 'apply', '--server-side')

const untilReady = (name: string, status: string) =>
  eventually(`${name} is ${status}`, withinMs, async () => {
    const { status: found } = await read(`${path}/${name}`)
    return found?.conditions?.some((each) => each.type === 'Ready' && each.status === status) || undefined
  })

/** All objects of the organization, by kind and name. */
async function objects(): Promise<Map<string, StoredObject>> {
  const lists = await Promise.all(
    kinds.map(async ({ kind, plural }) => {
      const { items } = await apiCall<{ items: StoredObject[] }>(controlPlane, 'GET', `${path}/${plural}`)
      return items.map((each) => [`${kind} ${each.metadata.name}`, each] as const)
    }),
  )
  return new Map(lists.flat())
}

describe(`an upgrade from ${previous}, with objects and work in flight`, () => {
  let before = new Map<string, StoredObject>()

  beforeAll(async () => {
    const tree = await previousTree()
    await release('install', join(tree, 'charts/quartermaster'), '--create-namespace')
    const folder = join(directory, 'old')
    await mkdir(folder)
    const script = `const { buildBundles } = await import(${JSON.stringify(join(tree, 'dev/build.ts'))}); await buildBundles(${JSON.stringify(folder)})`
    await writeFile(join(directory, 'build.mjs'), script)
    await run(process.execPath, [join(directory, 'build.mjs')])
    await startProcesses(folder)
    await untilServed(kinds.filter(({ kind }) => organization.some((each) => each.kind === kind)))
    await apply(organization)
    await untilReady('environmentdeployments/shop.done.1', 'True')
    // Its resource waits for a Secret.
    await eventually('the deployment under way', withinMs, async () => {
      return (
        [...(await objects()).keys()].filter((name) => name.startsWith('ActiveResource ')).length > 1 ||
        undefined
      )
    })
    before = await objects()
  })

  test('changes the kinds while the previous processes run, and replaces these', async () => {
    await release('upgrade', chart)
    const folder = join(directory, 'new')
    await mkdir(folder)
    await buildBundles(folder)
    await startProcesses(folder)
    expect(before.size).toBeGreaterThan(organization.length - 2)
  })

  test('the deployment under way ends', async () => {
    await apply([secret('missing')])
    await untilReady('environmentdeployments/shop.waiting.1', 'True')
  })

  test('no object is lost, doubled or made anew, and none of an unchanged environment is written', async () => {
    const after = await objects()
    for (const [name, { metadata }] of before)
      expect([name, after.get(name)?.metadata.uid]).toEqual([name, metadata.uid])
    const resources = (all: Map<string, StoredObject>) =>
      [...all.keys()].filter((name) => name.startsWith('ActiveResource'))
    expect(resources(after).sort()).toEqual(resources(before).sort())
    for (const name of resources(before).filter((each) => isOf(before.get(each), 'shop.done')))
      expect([name, after.get(name)?.metadata.generation]).toEqual([
        name,
        before.get(name)?.metadata.generation,
      ])
  })

  test('a new deployment of the same content changes nothing', async () => {
    const again = { environmentName: 'shop.done', setName: lastSet(before.get('Environment shop.done')) }
    await apply([object('EnvironmentDeployment', 'shop.done.2', again)])
    await untilReady('environmentdeployments/shop.done.2', 'True')
    const { status } = (await read(`${path}/environmentdeployments/shop.done.2`)) as {
      status?: { plan?: { create: number; update: number; replace: number; retain: number } }
    }
    expect(status?.plan).toMatchObject({ create: 0, update: 0, replace: 0, retain: 0 })
  })
})

function isOf(object: StoredObject | undefined, environment: string): boolean {
  return (object?.['spec'] as { environmentName?: string } | undefined)?.environmentName === environment
}

function lastSet(environment: StoredObject | undefined): string | undefined {
  return (environment?.['status'] as { lastPlanned?: { setName: string } } | undefined)?.lastPlanned?.setName
}
