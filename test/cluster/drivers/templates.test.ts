import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { conditionStatus, eventually, makeTestOrganization, readyOf, untilKnown } from '../support/client.ts'
import { allowOperator, disallowOperator } from '../support/cluster-rights.ts'
import {
  endEnvironment,
  gone,
  namespaceOf,
  objectAt,
  patch,
  readinessIn,
  secretAt,
} from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { templateCanary as canary, configMap, templateResourcesOf } from '../support/templates.ts'

const { access } = sharedCluster()
const organization = await makeTestOrganization(sharedCluster(), 'templates')
const { prepare, define, deploy, redeploy } = templateResourcesOf(organization)
const inside = (environment: string, plural: string, name: string) =>
  `/api/v1/namespaces/${namespaceOf(organization, environment)}/${plural}/${name}`

beforeAll(async () => {
  await prepare()
  await allowOperator(access, organization.id, [{ group: '', resources: ['configmaps'] }])
})
afterAll(() => disallowOperator(access, organization.id))

describe('the objects of a template', () => {
  const password = '{{ .driver.secrets.password }}'
  const manifests = {
    settings: configMap('settings', { size: 3, type: '{{ .type }}' }),
    login: {
      data: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: { password } },
    },
  }
  const settings = inside('objects', 'configmaps', 'settings')
  const login = inside('objects', 'secrets', 'login')
  const dataOf = async (path: string) => (await objectAt<{ data: object }>(organization, path))?.data

  test('are applied in the namespace of the environment', async () => {
    expect(readyOf(await deploy('objects', { manifests }))).toEqual({ reason: 'Reconciled', message: '' })
    expect(await dataOf(settings)).toEqual({ size: '3', type: 'postgres' })
    expect(await secretAt(organization, login)).toEqual({ password: canary })
  })

  test('changed by hand are repaired, of a kind without generation too', async () => {
    await patch(organization, settings, { data: { size: 'changed' } })
    await eventually('the repair', 30_000, async () => {
      expect(await dataOf(settings)).toEqual({ size: '3', type: 'postgres' })
      return true
    })
  })

  test('that are deleted by hand are created again', async () => {
    const uid = (await objectAt(organization, settings))?.metadata.uid
    await organization.kube('DELETE', settings)
    await eventually('the object', 30_000, async () => {
      const found = await objectAt(organization, settings)
      return found && found.metadata.uid !== uid ? true : undefined
    })
  })

  test('lose a key that the template gives no more, also a text of a Secret', async () => {
    const stringData = { password, token: 'old' }
    await define('objects', { manifests: { login: { data: { ...manifests.login.data, stringData } } } })
    expect(conditionStatus(await redeploy('objects'), 'Ready')).toBe('True')
    expect(await secretAt(organization, login)).toEqual({ password: canary, token: 'old' })
    await define('objects', { manifests })
    expect(conditionStatus(await redeploy('objects'), 'Ready')).toBe('True')
    expect(await secretAt(organization, login)).toEqual({ password: canary })
  })

  test('are pruned when the template makes them no more', async () => {
    await define('objects', { manifests: { login: manifests.login } })
    expect(conditionStatus(await redeploy('objects'), 'Ready')).toBe('True')
    await gone(organization, [settings])
    expect(await objectAt(organization, login)).toBeDefined()
  })

  test('go with the environment', async () => {
    await endEnvironment(organization, 'objects')
    await gone(organization, [login])
  })
})

describe('a template is Stalled, and makes nothing, that', () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'own' } }
  const labels = { 'quartermaster.dev/organization': 'acme' }
  const metadata = { name: 'reserved', labels }
  const [our, elsewhere, within] = [
    { apiVersion: 'quartermaster.dev/v1alpha1', kind: 'Application', metadata: { name: 'own' } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'own', namespace: 'kube-system' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'own', namespace: organization.id } },
  ]
  test.each([
    [
      'leaks a secret',
      'leak',
      configMap('leak', { url: '{{ .driver.secrets.password }}' }),
      'SecretLeak',
      'a secret',
    ],
    ['creates an object that the operator may not write', 'role', { data: role }, 'NotAllowed', 'roles'],
    ['creates an object of this API group', 'ours', { data: our }, 'NotAllowed', "'quartermaster.dev'"],
    [
      'uses labels of Quartermaster',
      'label',
      { data: { ...configMap('x').data, metadata } },
      'NotAllowed',
      'organization',
    ],
    ['uses another namespace', 'away', { data: elsewhere }, 'NamespaceNotOpen', "'kube-system'"],
    [
      'uses the namespace of the organization',
      'within',
      { data: within },
      'NamespaceNotOpen',
      organization.id,
    ],
    [
      'makes a kind that is not served',
      'unknown',
      { data: { ...role, kind: 'Rule' } },
      'NotServed',
      "'Rule'",
    ],
  ])('%s', async (_, environment, manifest, reason, hint) => {
    const manifests = { settings: configMap('settings'), manifest }
    expect(conditionStatus(await deploy(environment, { manifests }), 'Ready')).toBe('False')
    const message = await readinessIn(organization, environment, 'postgres', reason)
    expect(message).toContain(hint)
    expect(message).not.toContain(canary)
    expect(await objectAt(organization, '/api/v1/namespaces/kube-system/configmaps/own')).toBe(undefined)
    expect(await objectAt(organization, inside(environment, 'configmaps', 'settings'))).toBe(undefined)
  })

  test('makes an object that is there already and is not its own', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-public' } }
    const manifests = { namespace: { location: 'cluster', data: namespace } }
    expect(conditionStatus(await deploy('taken', { manifests }), 'Ready')).toBe('False')
    expect(await readinessIn(organization, 'taken', 'postgres', 'Conflict')).toContain('kube-public')
    await endEnvironment(organization, 'taken')
    const left = await objectAt(organization, '/api/v1/namespaces/kube-public')
    expect([left?.metadata.labels, left?.metadata.deletionTimestamp]).toEqual([
      { 'kubernetes.io/metadata.name': 'kube-public' },
      undefined,
    ])
  })
})

test('an object that another owner made again under its name does not change', async () => {
  const manifestsOf = (size: number) => ({
    settings: configMap('settings', { size }),
    login: {
      data: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'login' },
        stringData: { size: `${size}` },
      },
    },
  })
  const login = inside('replaced', 'secrets', 'login')
  await deploy('replaced', { manifests: manifestsOf(1) })
  await organization.kube('DELETE', login)
  await organization.kube('POST', login.replace('/login', ''), {
    metadata: { name: 'login' },
    stringData: { own: 'x' },
  })
  const foreign = await objectAt(organization, login)
  await define('replaced', { manifests: manifestsOf(2) })
  expect((await redeploy('replaced')).status?.problems).toMatchObject([{ reason: 'Conflict' }])
  expect(await objectAt(organization, login)).toEqual(foreign)

  await organization.kube('DELETE', login)
  expect(conditionStatus(await redeploy('replaced'), 'Ready')).toBe('True')
  expect(await secretAt(organization, login)).toEqual({ size: '2' })
})

test('a manifest for whose kind the right is given later is applied by the next deployment', async () => {
  const later = `${organization.id}-later`
  // No other file gives the operator rights on this kind.
  const [group, resource] = ['storage.k8s.io', 'csistoragecapacities']
  const capacity = { apiVersion: `${group}/v1`, kind: 'CSIStorageCapacity', metadata: { name: 'later' } }
  const manifests = { capacity: { data: { ...capacity, storageClassName: 'fast' } } }
  expect(conditionStatus(await deploy('later', { manifests }), 'Ready')).toBe('False')
  const message = await readinessIn(organization, 'later', 'postgres', 'NotAllowed')
  expect(message).toContain(`resource "${resource}" in API group "${group}"`)
  await allowOperator(access, later, [{ group, resources: [resource] }])
  expect(conditionStatus(await redeploy('later'), 'Ready')).toBe('True')
  await endEnvironment(organization, 'later')
  await disallowOperator(access, later)
})

test('an environment whose manifest was never allowed can be deleted', async () => {
  await endEnvironment(organization, 'role')
})

test('a Namespace of the k8s-namespace resource contains the objects of the environment, and is deleted with it', async () => {
  const name = `${organization.id}-own`
  const data = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  await organization.define('namespace', {
    type: 'k8s-namespace',
    driverType: 'quartermaster/template',
    driverInputs: {
      values: {
        templates: {
          manifests: { namespace: { location: 'cluster', data } },
          outputs: { namespace: name },
        },
      },
    },
    criteria: [{ envId: 'owned' }],
  })
  await untilKnown(organization, 'namespace')
  const manifests = { settings: configMap('settings') }
  expect(conditionStatus(await deploy('owned', { manifests }), 'Ready')).toBe('True')
  expect(await objectAt(organization, `/api/v1/namespaces/${name}/configmaps/settings`)).toBeDefined()
  expect(await objectAt(organization, `/api/v1/namespaces/${namespaceOf(organization, 'owned')}`)).toBe(
    undefined,
  )
  await endEnvironment(organization, 'owned')
  await gone(organization, [`/api/v1/namespaces/${name}`])
})
