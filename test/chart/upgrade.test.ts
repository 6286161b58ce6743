import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { buildBundles } from '../../dev/build.ts'
import { apiCall, eventually } from '../../dev/control-plane/kubernetes.ts'
import { type RunningProcess, readAdminToken, startQuartermaster } from '../../dev/quartermaster.ts'
import type { KubeObject, StoredObject } from '../../operator/api/kind.ts'
import { kinds } from '../../operator/api/kinds.ts'
import { startEmptyCluster } from './cluster.ts'
import { chart, systemNamespace } from './support.ts'
import {
  deployment,
  namespace,
  organization,
  page,
  secret,
  unchangedNamespace,
} from './upgraded-organization.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
/** The version to upgrade from; `git` must know it. */
const previous = process.env['PREVIOUS_REVISION'] ?? 'HEAD~1'
const withinMs = 120_000
const settings = { QUARTERMASTER_LEASE_SECONDS: '60', QUARTERMASTER_WORKLOAD_SETTLE_SECONDS: '1' }
const leasePath = `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases/quartermaster-operator`

const { controlPlane, directory, release, untilServed, read, exists, kubectl } = await startEmptyCluster()
const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${namespace}`
const folders = { previous: join(directory, 'old'), next: join(directory, 'new') }
type Version = keyof typeof folders
const gateways = new Map<Version, RunningProcess>()
let operator: RunningProcess | undefined
let adminToken = ''
afterAll(async () => {
  await Promise.all([...gateways.values(), operator].map(async (process) => process?.stop()))
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

const start = (version: Version, name: 'operator' | 'gateway') =>
  startQuartermaster(controlPlane, name, { directory: folders[version], settings })

/** Starts an operator beside the one that leads, and ends that one, as a cluster replaces pods. */
async function lead(version: Version): Promise<void> {
  const former = operator
  const leader = async () => (await read(leasePath)).spec?.['holderIdentity']
  const formerLeader = former && (await leader())
  operator = await start(version, 'operator')
  await former?.stop()
  await eventually(`a leader of the ${version} version`, withinMs, async () => {
    const found = await leader().catch(() => undefined)
    return (found && found !== formerLeader) || undefined
  })
}

/** The answer of the gateway of a version. */
async function send(version: Version, operation: string, body?: object, token = adminToken) {
  const [method, target = ''] = operation.split(' ')
  const answer = await fetch(`${gateways.get(version)?.url}${target}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    body: body && JSON.stringify(body),
  })
  const text = await answer.text()
  const link = answer.headers.get('link') ?? ''
  return { status: answer.status, link, body: text === '' ? undefined : JSON.parse(text) }
}

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

/** What the objects of the unchanged environment hold, by kind and name, with their identities. */
async function contents(): Promise<Record<string, unknown>> {
  const paths = ['/apis/apps/v1', '/api/v1'].map((each) => `${each}/namespaces/${unchangedNamespace}`)
  const plurals = ['deployments', 'configmaps', 'secrets', 'services', 'serviceaccounts']
  const all = await Promise.all(
    plurals.map(async (plural, index) => {
      const { items } = await apiCall<{ items: StoredObject[] }>(
        controlPlane,
        'GET',
        `${paths[Math.min(index, 1)]}/${plural}`,
      )
      return items.map(({ metadata: { name, uid, labels }, spec, data }) => [
        `${plural} ${name}`,
        { uid, labels, spec, data },
      ])
    }),
  )
  return Object.fromEntries(all.flat())
}

describe(`an upgrade from ${previous}, with objects and work in flight`, () => {
  let before = new Map<string, StoredObject>()
  let contentsBefore: Record<string, unknown> = {}
  const earlier = `${path}/environmentdeployments/shop.done.1`

  beforeAll(async () => {
    const tree = await previousTree()
    await release('install', join(tree, 'charts/quartermaster'), '--create-namespace')
    for (const folder of Object.values(folders)) await mkdir(folder)
    const script = `const { buildBundles } = await import(${JSON.stringify(join(tree, 'dev/build.ts'))}); await buildBundles(${JSON.stringify(folders.previous)})`
    await writeFile(join(directory, 'build.mjs'), script)
    await run(process.execPath, [join(directory, 'build.mjs')])
    await lead('previous')
    gateways.set('previous', await start('previous', 'gateway'))
    adminToken = await readAdminToken(controlPlane)
    await untilServed(kinds.filter(({ kind }) => [...organization, page].some((each) => each.kind === kind)))
    await apply(organization)
    await untilReady('environmentdeployments/shop.done.1', 'True')
    await apply([page])
    await untilReady('workloads/shop.page', 'True')
    await apiCall(controlPlane, 'DELETE', earlier)
    await eventually('the end of a deployment', withinMs, async () => !(await exists(earlier)) || undefined)
    // Its resource waits for a Secret.
    await eventually('the deployment under way', withinMs, async () => {
      const names = [...(await objects()).values()].filter((each) => isOf(each, 'shop.waiting'))
      return names.some(({ kind }) => kind === 'ActiveResource') || undefined
    })
    before = await objects()
    contentsBefore = await contents()
  })

  test('changes the kinds while the previous processes run', async () => {
    await release('upgrade', chart)
    await buildBundles(folders.next)
    expect(before.size).toBeGreaterThan(organization.length - 2)
    expect(Object.keys(contentsBefore).length).toBeGreaterThan(5)
  })

  test('gateways of both versions take the same tokens and sessions, and what the other one wrote', async () => {
    gateways.set('next', await start('next', 'gateway'))
    const orders: [Version, Version][] = [
      ['previous', 'next'],
      ['next', 'previous'],
    ]
    for (const [one, other] of orders) {
      const session = await send(one, 'POST /auth/session', { token: adminToken })
      const definitions = `/orgs/${namespace}/resources/defs`
      const made = await send(one, `POST ${definitions}`, {
        id: `by-${one}`,
        name: 'n',
        type: 's3',
        driver_type: 'quartermaster/echo',
        driver_inputs: { values: { bucket: 'one' }, secrets: { aws_secret_access_key: 'example-only' } },
        criteria: [{ env_id: one }],
      })
      const changed = await send(other, `PATCH ${definitions}/by-${one}`, { name: 'm' })
      const again = await send(other, `PUT ${definitions}/by-${one}`, changed.body)
      const first = await send(one, `GET ${definitions}?limit=1`, undefined, session.body.token)
      const nextPage = `GET ${definitions}${/<([^>]+)>/.exec(first.link)?.[1]}`
      const next = await send(other, nextPage, undefined, session.body.token)
      const removed = await send(one, `DELETE ${definitions}/by-${one}`)
      const all = [session, made, changed, again, first, next, removed]
      expect([one, ...all.map(({ status }) => status)]).toEqual([one, 200, 200, 200, 200, 200, 200, 204])
      expect([changed.body.name, again.body.name, next.body.length]).toEqual(['m', 'm', 1])
    }
  })

  test('the deployment under way ends, although the previous operator leads once more', async () => {
    await lead('next')
    await apply([secret('missing')])
    await untilReady('environmentdeployments/shop.waiting.1', 'True')
    await lead('previous')
    await apply([deployment('waiting', '2', { deltaName: 'first' })])
    await untilReady('environmentdeployments/shop.waiting.2', 'True')
    await lead('next')
    await gateways.get('previous')?.stop()
    gateways.delete('previous')
  })

  test('no object is lost, doubled or made anew, and none of an unchanged environment is written', async () => {
    const after = await objects()
    for (const [name, { metadata }] of before)
      expect([name, after.get(name)?.metadata.uid]).toEqual([name, metadata.uid])
    const resources = (all: Map<string, StoredObject>) =>
      [...all.keys()].filter((name) => name.startsWith('ActiveResource'))
    expect(resources(after).sort()).toEqual(expect.arrayContaining(resources(before).sort()))
    const unchanged = (all: Map<string, StoredObject>) =>
      [...all].flatMap(([name, each]) =>
        isOf(each, 'shop.done') ? [[name, each.metadata.generation, each['spec']]] : [],
      )
    expect(unchanged(after)).toEqual(unchanged(before))
    expect(await contents()).toEqual(contentsBefore)
  })

  test('a new deployment of the same content changes nothing', async () => {
    const setName = lastSet(before.get('Environment shop.done'))
    const plan = await send('next', `POST /orgs/${namespace}/apps/shop/envs/done/deploys?dry_run=true`, {
      set_id: setName?.replace('shop.', ''),
    })
    expect(plan.body.steps.filter((each: { action: string }) => each.action !== 'unchanged')).toEqual([])
    await apply([deployment('done', 'again', { setName })])
    await untilReady('environmentdeployments/shop.done.again', 'True')
    const { status } = (await read(`${path}/environmentdeployments/shop.done.again`)) as {
      status?: { plan?: { create: number; update: number; replace: number; retain: number } }
    }
    expect(status?.plan).toMatchObject({ create: 0, update: 0, replace: 0, retain: 0 })
    expect(await contents()).toEqual(contentsBefore)
  })

  test('a deployment that ran under the previous version and is made again does not run again', async () => {
    await apply([deployment('done', '1', { deltaName: 'first' })])
    await untilReady('environmentdeployments/shop.done.1', 'True')
    const { status } = await read(earlier)
    expect(status?.conditions?.map(({ type }) => type)).toContain('AlreadyRan')
  })
})

function isOf(object: StoredObject | undefined, environment: string): boolean {
  return (object?.['spec'] as { environmentName?: string } | undefined)?.environmentName === environment
}

function lastSet(environment: StoredObject | undefined): string | undefined {
  return (environment?.['status'] as { lastPlanned?: { setName: string } } | undefined)?.lastPlanned?.setName
}
