import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { conditionStatus, eventually, makeTestOrganization, moduleWith, readyOf } from '../support/client.ts'
import { allowOperator, disallowOperator, everyVerb } from '../support/cluster-rights.ts'
import {
  endEnvironment,
  gone,
  namespaceOf,
  objectAt,
  patch,
  readinessIn,
  resourceIn,
} from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { templateResourcesOf } from '../support/templates.ts'

const run = promisify(execFile)
const { access, kubectl, kubeconfigPath, directory } = sharedCluster()
const organization = await makeTestOrganization(sharedCluster(), 'rights')
const { prepare, deploy } = templateResourcesOf(organization)
/** The definition of the page fits all environments, so it has its organization. */
const documented = await makeTestOrganization(sharedCluster(), 'documented')
/** Longer than the pause after which a refused request is repeated. */
const healedWithinMs = 120_000

const given: string[] = []
async function allow(name: string, group: string, resource: string, verbs: readonly string[]) {
  given.push(`${organization.id}-${name}`)
  await allowOperator(access, `${organization.id}-${name}`, [{ group, resources: [resource], verbs }])
}

beforeAll(prepare)
afterAll(async () => {
  for (const name of given) await disallowOperator(access, name)
})

const objectMeta = { name: 'thing' }
const manifests: Record<string, object> = {
  podtemplates: {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: objectMeta,
    template: { spec: { containers: [{ name: 'main', image: 'busybox' }] } },
  },
  limitranges: { apiVersion: 'v1', kind: 'LimitRange', metadata: objectMeta, spec: { limits: [] } },
  controllerrevisions: {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: objectMeta,
    revision: 1,
    data: {},
  },
  networkpolicies: {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: objectMeta,
    spec: { podSelector: {} },
  },
}
const templates = (resource: string) => ({ manifests: { thing: { data: manifests[resource] } } })

describe('a verb that the role lacks is named, and the resource becomes ready when it is given:', () => {
  test.concurrent.each([
    ['watch', '', 'podtemplates'],
    ['get', '', 'limitranges'],
    ['create', 'apps', 'controllerrevisions'],
    ['patch', 'networking.k8s.io', 'networkpolicies'],
  ])('%s', async (verb, group, resource) => {
    const others = everyVerb.filter((each) => each !== verb)
    await allow(`${verb}-others`, group, resource, others)
    expect(conditionStatus(await deploy(verb, templates(resource)), 'Stalled')).toBe('True')
    const message = await readinessIn(organization, verb, 'postgres', 'NotAllowed')
    expect(message).toContain(`cannot ${verb} resource "${resource}" in API group "${group}"`)
    expect(conditionStatus(await resourceIn(organization, verb, 'postgres'), 'Stalled')).toBe('True')
    await allow(verb, group, resource, [verb])
    await readinessIn(organization, verb, 'postgres', 'Reconciled', healedWithinMs)
    await endEnvironment(organization, verb)
  })

  test.concurrent('a repair after the right was removed', async () => {
    const name = `${organization.id}-repair`
    const path = `/apis/discovery.k8s.io/v1/namespaces/${namespaceOf(organization, 'repair')}/endpointslices/thing`
    const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: objectMeta }
    const data = { ...slice, addressType: 'IPv4', endpoints: [] }
    await allow('repair', 'discovery.k8s.io', 'endpointslices', everyVerb)
    const made = await deploy('repair', { manifests: { thing: { data } } })
    expect(conditionStatus(made, 'Ready')).toBe('True')
    await disallowOperator(access, name)
    await allow('repair-watch', 'discovery.k8s.io', 'endpointslices', ['get', 'list', 'watch'])
    await patch(organization, path, { endpoints: [{ addresses: ['192.0.2.1'] }] })
    const message = await readinessIn(organization, 'repair', 'postgres', 'NotAllowed', healedWithinMs)
    expect(message).toContain('cannot patch resource "endpointslices" in API group "discovery.k8s.io"')
    await allowOperator(access, name, [{ group: 'discovery.k8s.io', resources: ['endpointslices'] }])
    await readinessIn(organization, 'repair', 'postgres', 'Reconciled', healedWithinMs)
    expect((await objectAt<{ endpoints: unknown }>(organization, path))?.endpoints ?? []).toEqual([])
    await endEnvironment(organization, 'repair')
  })
})

test.concurrent('an object that cannot be deleted is named by the conditions of its resource, environment and application', async () => {
  // Of a group whose objects are not left to the deletion of the namespace.
  const [group, resource] = ['coordination.k8s.io', 'leases']
  const data = { apiVersion: `${group}/v1`, kind: 'Lease', metadata: objectMeta }
  await allow('others', group, resource, ['get', 'list', 'watch', 'create', 'patch'])
  await organization.define('ending', {
    type: 'postgres',
    driverType: 'quartermaster/template',
    driverInputs: { values: { templates: { manifests: { thing: { data: { ...data, spec: {} } } } } } },
    criteria: [{ appId: 'ending' }],
  })
  await organization.application('ending')
  await organization.environment('ending', 'live')
  const modules = { web: moduleWith({ db: { type: 'postgres' } }) }
  expect(readyOf(await organization.deploy('ending.live', { modules }))).toMatchObject({
    reason: 'Reconciled',
    message: '',
  })
  await organization.remove('applications', 'ending')
  const cause = `cannot delete resource "${resource}" in API group "${group}" in the namespace "${organization.id}--ending--live"`
  const said = (plural: string, find: () => Promise<object | undefined>) =>
    eventually(`the cause in '${plural}'`, 60_000, async () => {
      const { reason, message } = readyOf(await find())
      if (!message.includes(cause) || !message.includes('thing')) throw new Error(`${reason}: ${message}`)
      return reason
    })
  const all = async () =>
    (await organization.resources()).find(({ spec }) => spec.context.applicationId === 'ending')
  expect([
    await said('activeresources', all),
    await said('environments', () => organization.get('environments', 'ending.live')),
    await said('applications', () => organization.get('applications', 'ending')),
  ]).toEqual(['NotAllowed', 'ResourcesRemain', 'EnvironmentsRemain'])
  await allow('rest', group, resource, ['delete'])
  await gone(
    organization,
    [`/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/applications/ending`],
    healedWithinMs,
  )
})

test.concurrent('the role and the definition that docs/drivers.md shows make a resource ready, and let it be deleted', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/drivers.md'), 'utf8')
  const section = page.split('\n## More kinds of objects\n')[1]?.split('\n## ')[0] ?? ''
  const [role = '', definition = ''] = [...section.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(
    ([, text = '']) => text,
  )
  const file = join(directory, `${documented.id}.yaml`)
  const apply = async (verb: 'apply' | 'delete', text: string) => {
    await writeFile(file, text)
    await run(kubectl, ['--kubeconfig', kubeconfigPath, verb, '-f', file])
  }
  await apply('apply', definition.replace('namespace: acme', `namespace: ${documented.id}`))
  await documented.application('shop')
  await documented.environment('shop', 'nightly')
  const refused = await documented.deploy('shop.nightly', {})
  expect(conditionStatus(refused, 'Stalled')).toBe('True')
  expect(await readinessIn(documented, 'nightly', 'base-env', 'NotAllowed')).toContain('poddisruptionbudgets')
  await apply('apply', role)
  await readinessIn(documented, 'nightly', 'base-env', 'Reconciled', healedWithinMs)
  const path = `/apis/policy/v1/namespaces/${namespaceOf(documented, 'nightly')}/poddisruptionbudgets/all-pods`
  expect(await objectAt(documented, path)).toBeDefined()
  await documented.remove('resourcedefinitions', 'budget')
  await endEnvironment(documented, 'nightly')
  await gone(documented, [path])
  await apply('delete', role)
})
