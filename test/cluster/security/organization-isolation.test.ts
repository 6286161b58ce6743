import { beforeAll, describe, expect, test } from '@jest/globals'
import { conditionStatus, makeTestOrganization, untilKnown } from '../support/client.ts'
import { endEnvironment, namespaceOf, objectAt, readinessIn } from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { templateResourcesOf } from '../support/templates.ts'

const attacker = await makeTestOrganization(sharedCluster(), 'apart-a')
const victim = await makeTestOrganization(sharedCluster(), 'apart-b')
const { prepare, deploy, redeploy } = templateResourcesOf(attacker)
const others = templateResourcesOf(victim)

beforeAll(() => Promise.all([prepare(), others.prepare()]))

test('another organization does not create the namespace of an environment in advance', async () => {
  const name = namespaceOf(victim, 'development')
  const data = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  await attacker.define('namespace', {
    type: 'k8s-namespace',
    driverType: 'quartermaster/template',
    driverInputs: { values: { templates: { manifests: { namespace: { location: 'cluster', data } } } } },
    criteria: [{ envId: 'taking' }],
  })
  await untilKnown(attacker, 'namespace')
  expect(conditionStatus(await deploy('taking', { outputs: { a: 'b' } }), 'Ready')).toBe('False')
  expect(await readinessIn(attacker, 'taking', 'k8s-namespace', 'NotAllowed')).toContain(name)
  expect(await objectAt(attacker, `/api/v1/namespaces/${name}`)).toBeUndefined()

  const login = { data: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'own' } } }
  expect(conditionStatus(await others.deploy('development', { manifests: { login } }), 'Ready')).toBe('True')
  await endEnvironment(attacker, 'taking')
  expect(await objectAt(victim, `/api/v1/namespaces/${name}/secrets/own`)).toBeDefined()
})

describe('objects do not go', () => {
  const secretIn = (namespace?: string) => ({
    data: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'intruder', ...(namespace ? { namespace } : {}) },
    },
  })
  const places = [
    ['into the namespace of the installation', 'system', 'quartermaster-system'],
    ['into that of another organization', 'other', victim.id],
    ['into that of an environment of it', 'inner', namespaceOf(victim, 'development')],
    ['into that of a future environment', 'to-come', namespaceOf(victim, 'production')],
  ]
  const refused = async (environment: string, namespace: string) => {
    expect(await readinessIn(attacker, environment, 'postgres', 'NamespaceNotOpen', 5000)).toContain(
      namespace,
    )
    expect(await objectAt(attacker, `/api/v1/namespaces/${namespace}/secrets/intruder`)).toBeUndefined()
  }

  test.each(places)('%s', async (_, environment, namespace) => {
    const manifests = { own: secretIn(), intruder: secretIn(namespace) }
    expect(conditionStatus(await deploy(environment, { manifests }), 'Ready')).toBe('False')
    await refused(environment, namespace)
  })

  test.each(places)('%s that is named as the one of the environment', async (_, given, namespace) => {
    const environment = `as-${given}`
    await attacker.define(environment, {
      type: 'k8s-namespace',
      driverType: 'quartermaster/echo',
      driverInputs: { values: { namespace } },
      criteria: [{ envId: environment }],
    })
    await untilKnown(attacker, environment)
    await attacker.define(`secret-${environment}`, {
      type: 'postgres',
      driverType: 'quartermaster/template',
      driverInputs: { values: { templates: { manifests: { intruder: secretIn() } } } },
      criteria: [{ envId: environment }],
    })
    await untilKnown(attacker, `secret-${environment}`)
    await attacker.environment('shop', environment)
    expect(conditionStatus(await redeploy(environment), 'Ready')).toBe('False')
    await refused(environment, namespace)
  })
})

test('an Ingress of a template takes no host that another organization has, and no annotation that is forbidden', async () => {
  const host = `shop.${victim.id}.example.test`
  const ingress = (annotations: object = {}) => {
    const backend = { service: { name: 'web', port: { number: 80 } } }
    const paths = [{ path: '/', pathType: 'Prefix', backend }]
    const data = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'web', annotations },
      spec: { rules: [{ host, http: { paths } }] },
    }
    return { manifests: { web: { data } } }
  }
  expect(conditionStatus(await others.deploy('host', ingress()), 'Ready')).toBe('True')
  expect(conditionStatus(await deploy('host', ingress()), 'Ready')).toBe('False')
  expect(await readinessIn(attacker, 'host', 'postgres', 'Conflict')).toContain(host)
  const snippet = { 'nginx.ingress.kubernetes.io/server-snippet': 'return 200;' }
  expect(conditionStatus(await deploy('snippet', ingress(snippet)), 'Ready')).toBe('False')
  await readinessIn(attacker, 'snippet', 'postgres', 'AnnotationRefused')
})
