import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { oneOfThree } from '../../support/retry.ts'
import { createAuditLog } from '../support/audit-log.ts'
import { eventually, makeTestOrganization, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const environment = '/apps/shop/envs/dev'
const echo = 'quartermaster/echo'
const secret = 'canary-of-the-previews'
let organization: Organization
let audit: ReturnType<typeof createAuditLog>

/** A step of a dry run, and a change of a preview. */
interface Reported {
  readonly action: string
  readonly gu_res_id: string
  readonly changed_inputs: readonly string[]
}

async function send(method: string, path: string, body?: unknown, status = 200) {
  const answer = await organization.rest(method, path, body)
  expect([path, answer.status, answer.body]).toEqual([path, status, answer.body])
  return answer.body
}

/** Asks, and checks that neither process wrote anything because of it: that would show each time, a late write once. */
async function ask(method: string, path: string, body?: unknown) {
  // oxlint-disable-next-line typescript/no-explicit-any -- of many shapes
  let answer: any
  await oneOfThree(async () => {
    await audit.calm()
    const position = await audit.end()
    answer = await send(method, path, body)
    await setTimeout(300)
    expect(await audit.writesSince(position)).toEqual([])
  })
  expect(JSON.stringify(answer)).not.toContain(secret)
  return answer
}

/** Specs of all resources by name, without who wrote them. */
async function specs(): Promise<Map<string, string>> {
  const resources = await organization.allResources()
  return new Map(
    resources.map(({ metadata, spec: { signature: _, deploymentName: __, ...spec } }: ActiveResource) => {
      return [metadata.name, canonicalJson(spec)]
    }),
  )
}

/** Does something, and answers the names of the resources whose spec it changed. */
async function changedBy(work: () => Promise<unknown>): Promise<string[]> {
  const before = await specs()
  await work()
  const after = await specs()
  return [...after.keys()].filter((name) => before.get(name) !== after.get(name)).sort()
}

async function deltaOf(change: object): Promise<{ delta_id: string }> {
  const modules = { add: {}, remove: [], update: {} }
  const { id } = await send('POST', '/apps/shop/deltas', { modules, shared: [], ...change })
  return { delta_id: id }
}

const active = (steps: readonly Reported[]) => steps.filter(({ action }) => action !== 'unchanged')
const namesOf = (steps: readonly Reported[]) =>
  active(steps)
    .map((each) => each.gu_res_id)
    .sort()

/** Predicts a deployment, makes it, and checks the prediction; answers the prediction. */
async function predicted(body: object) {
  const prediction = await ask('POST', `${environment}/deploys?dry_run=true`, body)
  let ended: Awaited<ReturnType<Organization['ended']>> | undefined
  const changed = await changedBy(async () => {
    ended = await organization.ended((await send('POST', `${environment}/deploys`, body, 201)).id)
  })
  const { plan, problems = [] } = ended?.status ?? {}
  expect(problems).toEqual(prediction.problems)
  if (prediction.problems.length > 0) {
    expect([plan, changed]).toEqual([undefined, []])
    return prediction
  }
  const { steps, ...summary } = plan ?? {}
  expect(summary).toEqual(prediction.summary)
  const reported = active(prediction.steps) as unknown as {
    action: string
    descriptor: string
    def_id?: string
  }[]
  expect(steps).toEqual(
    reported.map(({ action, descriptor, def_id }) => ({
      action,
      object: descriptor,
      ...(def_id === undefined ? {} : { definitionName: def_id }),
    })),
  )
  expect(changed).toEqual(namesOf(prediction.steps))
  return prediction
}

/** Previews a change of a definition, makes it, and deploys: nothing changes before, and then the preview is true. */
async function predictedChange(method: string, path: string, body: object | undefined, status = 200) {
  const preview = await ask(method, `${path}?dry_run=true`, body)
  const real = method === 'DELETE' ? `${path}?force=true` : path
  expect(
    await changedBy(async () => {
      await send(method, real, body, status)
      await audit.calm()
    }),
  ).toEqual([])
  const prediction = await predicted({})
  expect(prediction.problems).toEqual(
    preview.problems.map(({ app_id: _, env_id: __, ...problem }: Record<string, string>) => problem),
  )
  if (preview.problems.length > 0) return preview
  const essence = ({ action, gu_res_id, changed_inputs }: Reported) => ({ action, gu_res_id, changed_inputs })
  const isSaid = ({ action }: Reported) => action === 'update' || action === 'replace'
  expect(namesOf(preview.changes)).toEqual(namesOf(prediction.steps))
  expect(preview.changes.filter(isSaid).map(essence)).toEqual(prediction.steps.filter(isSaid).map(essence))
  return preview
}

const counts = { create: 0, update: 0, replace: 0, retain: 0 }
const actionsOf = (answer: { changes: { action: string; type: string }[] }) =>
  answer.changes.map(({ action, type }) => `${action} ${type}`)

beforeAll(async () => {
  organization = await makeTestOrganization(cluster, 'preview')
  audit = createAuditLog(cluster.auditLogPath, organization.id)
  await send('POST', '/apps', { id: 'shop', name: 'Shop', skip_environment_creation: true }, 201)
  await send('POST', '/apps/shop/envs', { id: 'dev', name: 'Dev', type: 'development' }, 201)
  const definitions = [
    {
      id: 'dns',
      type: 'dns',
      driver_type: echo,
      driver_inputs: { values: { host: '${context.env.id}.example.test' } },
      provision: { ingress: {} },
    },
    { id: 'ingress', type: 'ingress', driver_type: 'quartermaster/ingress' },
    {
      id: 'redis',
      type: 'redis',
      driver_type: echo,
      driver_inputs: { values: { host: 'one', port: 6379 }, secrets: { password: secret } },
    },
    {
      id: 's3',
      type: 's3',
      driver_type: echo,
      driver_inputs: { values: { region: '${resources.redis.outputs.host}', bucket: 'b' } },
    },
  ]
  for (const each of definitions)
    await send('POST', '/resources/defs', { name: each.id, ...each, criteria: [{}] })
})

describe('a dry run of a deployment writes nothing, and predicts the deployment', () => {
  const redis = { type: 'redis', params: {} }
  const externals = { cache: redis, dns: { type: 'dns' }, files: { type: 's3' } }
  const web = {
    profile: 'quartermaster/default-module',
    spec: { ingress: { rules: { 'externals.dns': { http: { '/': { type: 'prefix', port: 80 } } } } } },
    externals,
  }
  const update = (...operations: object[]) => ({
    modules: { add: {}, remove: [], update: { web: operations } },
  })

  test.each<[string, object, Partial<typeof counts>]>([
    ['create', { modules: { add: { web }, remove: [], update: {} } }, { create: 6 }],
    ['nothing', update(), {}],
    ['update', update({ op: 'add', path: '/externals/cache/params', value: { size: 2 } }), { update: 1 }],
    ['retain', update({ op: 'remove', path: '/externals/files' }), { retain: 2, update: 1 }],
    ['use again', update({ op: 'add', path: '/externals/files', value: { type: 's3' } }), { update: 3 }],
  ])('%s', async (_, change, expected) => {
    const { summary, problems } = await predicted(await deltaOf(change))
    expect([summary, problems]).toMatchObject([{ ...counts, ...expected }, []])
  })

  test('a problem: nothing is done, and the same is said', async () => {
    const change = update({ op: 'add', path: '/externals/queue', value: { type: 'amqp' } })
    const { problems } = await predicted(await deltaOf(change))
    expect(problems).toMatchObject([{ reason: 'NoMatchingDefinition' }])
  })
})

describe('a preview of a change of definitions writes nothing, and predicts the next deployment', () => {
  const redis = '/resources/defs/redis'
  const better = {
    id: 'better',
    name: 'Better',
    type: 'redis',
    driver_type: echo,
    driver_inputs: { values: { host: 'better', port: 1 }, secrets: { password: secret } },
    criteria: [{ app_id: 'shop' }],
  }

  test.each<[string, string, string, object | undefined, number, string[]]>([
    [
      'an edit of inputs',
      'PATCH',
      redis,
      { driver_inputs: { values: { host: 'two', port: 6379 } } },
      200,
      ['update redis', 'update redis'],
    ],
    [
      'a replacement of the definition',
      'PUT',
      redis,
      { name: 'Redis', driver_type: echo, driver_inputs: { values: { host: 'three', port: 1 } } },
      200,
      ['update redis', 'update redis'],
    ],
    ['an edit that changes nothing', 'PATCH', redis, { name: 'Other' }, 200, []],
    [
      'another driver',
      'PATCH',
      '/resources/defs/ingress',
      { driver_type: echo, driver_inputs: { values: { id: 'x' } } },
      200,
      ['replace ingress'],
    ],
    [
      'a definition that fits better',
      'POST',
      '/resources/defs',
      better,
      200,
      ['update redis', 'update redis'],
    ],
    [
      'that definition deleted, with another match',
      'DELETE',
      '/resources/defs/better',
      undefined,
      204,
      ['update redis', 'update redis'],
    ],
    [
      'a dependency that a definition no longer provisions',
      'PATCH',
      '/resources/defs/dns',
      { provision: null },
      200,
      ['retain ingress'],
    ],
    ['the only definition deleted', 'DELETE', '/resources/defs/dns', undefined, 204, ['unchanged dns']],
  ])('%s', async (_, method, path, body, status, expected) => {
    expect(actionsOf(await predictedChange(method, path, body, status))).toEqual(expected)
  })
})

test('a write would be seen: that of a real change is', async () => {
  await audit.calm()
  const position = await audit.end()
  await send('PATCH', '/resources/defs/redis', { name: 'Another' })
  const isChange = (write: string) =>
    /quartermaster-gateway (update|patch) resourcedefinitions redis$/.test(write)
  await eventually(
    'the change in the log',
    30_000,
    async () => (await audit.writesSince(position)).some(isChange) || undefined,
  )
})

describe('requests that only explain write nothing', () => {
  test('the explanation of a match names the definition that provisions the resource', async () => {
    const s3 = (await organization.resources()).find(({ spec }) => spec.type === 's3')
    const id = s3?.spec.resourceId ?? ''
    const explained = await ask('GET', `${environment}/resources/explain?type=s3&id=${id}`)
    expect(explained).toMatchObject({
      gu_res_id: s3?.metadata.name,
      matched: { def_id: 's3' },
      active: { def_id: s3?.spec.definition.definitionName },
    })
  })

  test('the graph of a resource has the resources that are there for it', async () => {
    const s3 = (await organization.resources()).find(({ spec }) => spec.type === 's3')
    const asked = [{ id: s3?.spec.resourceId, type: 's3' }]
    const { nodes } = await ask('POST', `${environment}/resources/graphs`, asked)
    const needed = [...(s3?.spec.dependsOn ?? []), s3?.metadata.name]
    expect(nodes.map(({ guresid }: { guresid: string }) => guresid)).toEqual(needed)
  })
})
