import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import type { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { eventually, makeTestOrganization, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

let organization: Organization
const name = (artefact: string) => `registry.example.test/shop/${artefact}`
const main = 'refs/heads/main'
const merge = 'application/merge-patch+json'
const withinMs = 60_000

/** An application whose environment runs version 0 of the images `a` and `b`. */
async function makeApplication(application: string): Promise<void> {
  await organization.application(application)
  await organization.environment(application, 'dev')
  const containers = { a: { image: `${name('a')}:0` }, b: { image: `${name('b')}:0` } }
  const deployed = await organization.deploy(`${application}.dev`, {
    modules: { web: { spec: { containers } } },
  })
  expect(isReady(deployed)).toBe(true)
}

async function makeRule(application: string, body: object = {}): Promise<string> {
  const rule = { type: 'update', match_ref: `^${main}$`, ...body }
  const answer = await organization.rest('POST', `/apps/${application}/envs/dev/rules`, rule)
  expect(answer.status).toBe(201)
  return answer.body.id
}

async function register(artefact: string, version: string, ref = main): Promise<string> {
  const body = { type: 'container', name: name(artefact), version, ref }
  const answer = await organization.rest('POST', '/artefact-versions', body)
  expect(answer.status).toBe(200)
  return answer.body.id
}

function applyVersion(artefact: string, version: string, ref = main): Promise<unknown> {
  const spec = { type: 'container', artefactName: name(artefact), version, ref }
  return organization.apply('artefactversions', 'ArtefactVersion', `by-kubectl-${artefact}-${version}`, spec)
}

/** Waits until no version of the organization waits for anything, and no deployment runs. */
async function quiet(): Promise<readonly ArtefactVersion[]> {
  return eventually('an outcome of every version', withinMs, async () => {
    const versions = await organization.list<ArtefactVersion>('artefactversions')
    return versions.every(isReady) ? versions : undefined
  })
}

/** Names of the versions that automatic deployments to the environment of an application have. */
async function deployedVersions(application: string): Promise<string[]> {
  const all = await organization.list<EnvironmentDeployment>('environmentdeployments')
  return all
    .filter(({ spec }) => spec.environmentName === `${application}.dev`)
    .flatMap(({ metadata }) => metadata.annotations?.[annotations.artefactVersions]?.split(',') ?? [])
}

async function running(application: string): Promise<Record<string, string>> {
  const environment = await organization.get<Environment>('environments', `${application}.dev`)
  const set = await organization.get<DeploymentSet>(
    'deploymentsets',
    environment?.status?.lastPlanned?.setName ?? '',
  )
  const module = set?.spec.modules['web'] as { spec: { containers: Record<string, { image: string }> } }
  return Object.fromEntries(
    Object.entries(module.spec.containers).map(([id, { image }]) => [id, image.slice(name(id).length + 1)]),
  )
}

/** Waits until the environment of an application runs these versions. */
async function untilRunning(application: string, expected: Record<string, string>): Promise<void> {
  await eventually(`the images ${JSON.stringify(expected)}`, withinMs, async () => {
    const found = await running(application)
    return JSON.stringify(found) === JSON.stringify(expected) ? true : undefined
  })
}

beforeAll(async () => {
  organization = await makeTestOrganization(sharedCluster(), 'images')
  await organization.define('workload', {
    type: 'workload',
    driverType: 'quartermaster/echo',
    criteria: [{}],
  })
})

describe('a version that fits a rule', () => {
  test('is deployed by an archived delta, with the image in the comment', async () => {
    await makeApplication('first')
    const rule = await makeRule('first')
    const id = await register('a', '1')
    await untilRunning('first', { a: '1', b: '0' })
    const { body } = await organization.rest('GET', '/apps/first/envs/dev/deploys')
    const [deployment] = body
    expect(deployment).toMatchObject({
      comment: `New images: ${name('a')}:1`,
      created_by: `automation-rule:${rule}`,
    })
    const delta = await organization.rest('GET', `/apps/first/deltas/${deployment.delta_id}`)
    expect(delta.body.metadata).toMatchObject({ archived: true, env_id: 'dev' })
    const version = (await quiet()).find(({ metadata }) => metadata.name === id)
    expect(version?.status?.environments).toEqual([
      {
        environmentName: 'first.dev',
        ruleNames: [rule],
        ruleUids: [expect.any(String)],
        outcome: 'Deployed',
        deploymentName: deployment.id,
      },
    ])
  })

  test('by kubectl is deployed as well', async () => {
    await makeApplication('kubectl')
    await organization.apply('automationrules', 'AutomationRule', 'kubectl-main', {
      applicationName: 'kubectl',
      environmentId: 'dev',
    })
    await applyVersion('b', '5')
    await untilRunning('kubectl', { a: '0', b: '5' })
  })
})

test('rules go with their environment', async () => {
  await makeApplication('gone')
  const rule = await makeRule('gone')
  await organization.rest('DELETE', '/apps/gone')
  await eventually('the end of the rule', withinMs, async () =>
    (await organization.get('automationrules', rule)) === undefined ? true : undefined,
  )
})

describe('the schema', () => {
  test.each<[rule: string, spec: object, status: number]>([
    ['lets a version be archived', { archived: true }, 200],
    ['refuses another version', { version: '8' }, 422],
    ['refuses a new field', { commit: '0123456' }, 422],
    ['refuses the removal of a field', { ref: null }, 422],
    ['refuses another type', { type: 'workload' }, 422],
  ])('%s', async (_, spec, status) => {
    await applyVersion('immutable', '7')
    const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/artefactversions/by-kubectl-immutable-7`
    expect((await organization.kube('PATCH', path, { spec }, merge)).status).toBe(status)
  })
})

type Event =
  | {
      readonly do: 'register'
      readonly artefact: 'a' | 'b'
      readonly isMain: boolean
      readonly door: 'rest' | 'kubectl'
    }
  | { readonly do: 'again' | 'toggle' | 'deploy' }

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('register' as const),
      artefact: fc.constantFrom('a' as const, 'b' as const),
      isMain: fc.boolean(),
      door: fc.constantFrom('rest' as const, 'kubectl'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('again' as const, 'toggle', 'deploy') }) },
)

/** Plays events; returns what the environment must run in the end, and how many versions fit. */
async function play(application: string, events: readonly Event[], prefix: string) {
  const rule = await makeRule(application)
  const expected: Record<string, string> = { a: '0', b: '0' }
  let isActive = true
  let last: (() => Promise<unknown>) | undefined
  let fitting = 0
  for (const [index, each] of events.entries()) {
    if (each.do === 'register') {
      const { artefact, isMain, door } = each
      const version = `${prefix}-${index}`
      const send = door === 'rest' ? register : applyVersion
      last = () => send(artefact, version, isMain ? main : 'refs/heads/other')
      await last()
      if (!isMain || !isActive) continue
      expected[artefact] = version
      fitting += 1
    } else if (each.do === 'again') await last?.()
    else if (each.do === 'deploy')
      await organization.rest('POST', `/apps/${application}/envs/dev/deploys`, {})
    else {
      // A version that still waits would be judged by the changed rule.
      await quiet()
      isActive = !isActive
      const body = { type: 'update', match_ref: `^${main}$`, active: isActive }
      await organization.rest('PUT', `/apps/${application}/envs/dev/rules/${rule}`, body)
    }
  }
  await quiet()
  await organization.remove('automationrules', rule)
  return { expected, fitting }
}

test('in any order of events, each version is deployed at most once, the last one wins, and others change nothing', async () => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 3, maxLength: 8 }), async (events) => {
      runs += 1
      const application = `any-order-${runs}`
      await makeApplication(application)
      const { expected, fitting } = await play(application, events, `r${runs}`)
      await untilRunning(application, expected)
      const deployed = await deployedVersions(application)
      expect(deployed).toEqual([...new Set(deployed)])
      expect(deployed.length).toBeLessThanOrEqual(fitting)
    }),
    { numRuns: casesOf(20) },
  )
})
