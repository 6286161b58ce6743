import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { apiCall, apiRequest } from '../../../dev/control-plane/kubernetes.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import { conditionStatus, eventually, makeTestOrganization, readyOf, untilKnown } from '../support/client.ts'
import { allowOperator, disallowOperator } from '../support/cluster-rights.ts'
import { namespaceOf, objectAt, patch, readinessIn, secretAt } from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { templateCanary as canary, configMap, templateResourcesOf } from '../support/templates.ts'

const { access } = sharedCluster()
const organization = await makeTestOrganization(sharedCluster(), 'outputs')
const { prepare, define, deploy, redeploy, databaseIn } = templateResourcesOf(organization)
const inside = (environment: string, plural: string, name: string) =>
  `/api/v1/namespaces/${namespaceOf(organization, environment)}/${plural}/${name}`
const testGroup = `${organization.id}.example.org`
const kindPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const database = { data: { apiVersion: `${testGroup}/v1`, kind: 'Database', metadata: { name: 'db' } } }

/** Provisions everything in the environment again. */
async function forceAgain(environment: string): Promise<void> {
  const environmentName = `shop.${environment}`
  const { status } = (await organization.get<Environment>('environments', environmentName)) ?? {}
  const spec = { environmentName, setName: status?.lastPlanned?.setName, mode: 'full' }
  const name = `${environmentName}.again`
  await organization.apply('environmentdeployments', 'EnvironmentDeployment', name, spec)
  expect(conditionStatus(await organization.ended(name), 'Ready')).toBe('True')
}

beforeAll(async () => {
  await apiCall(access, 'POST', kindPath, {
    metadata: { name: `databases.${testGroup}` },
    spec: {
      group: testGroup,
      scope: 'Namespaced',
      names: { plural: 'databases', singular: 'database', kind: 'Database' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  })
  await allowOperator(access, organization.id, [
    { group: '', resources: ['configmaps'] },
    { group: testGroup, resources: ['databases'] },
  ])
  await prepare()
  await eventually('the kind', 30_000, async () =>
    (await apiRequest(access, 'GET', `/apis/${testGroup}/v1/databases`)).ok ? true : undefined,
  )
})

afterAll(async () => {
  await disallowOperator(access, organization.id)
  await apiCall(access, 'DELETE', `${kindPath}/databases.${testGroup}`)
})

describe('outputs of a template', () => {
  test('are read from the status of an object when it is there', async () => {
    const outputs = { host: '{{ await .objects.db "status.host" }}' }
    const deployed = deploy('status', { manifests: { db: database }, outputs })
    const message = await readinessIn(organization, 'status', 'postgres', 'OutputsNotReady')
    expect(message).toContain("'status.host' of Database 'db'")
    const namespace = namespaceOf(organization, 'status')
    const path = `/apis/${testGroup}/v1/namespaces/${namespace}/databases/db/status`
    await patch(organization, path, { status: { host: 'db.internal' } })
    await readinessIn(organization, 'status', 'postgres', 'Reconciled')
    expect((await databaseIn('status')).status?.outputs).toEqual({ host: 'db.internal' })
    expect(conditionStatus(await deployed, 'Ready')).toBe('True')
  })

  test('that are secret are all that their Secret has', async () => {
    const templates = (secrets: object) => ({ manifests: { settings: configMap('settings') }, secrets })
    const password = '{{ .driver.secrets.password }}'
    await deploy('fewer', templates({ username: 'app', password }))
    const name = (await databaseIn('fewer')).status?.outputsSecretName
    const path = `/api/v1/namespaces/${organization.id}/secrets/${name}`
    expect(await secretAt(organization, path)).toEqual({ username: 'app', password: canary })
    const versions = async () =>
      [await objectAt(organization, path), await databaseIn('fewer')].map(
        (each) => each?.metadata.resourceVersion,
      )
    const before = await versions()
    await forceAgain('fewer')
    expect(await versions()).toEqual(before)
    await patch(organization, path, { stringData: { token: 'of another client' } })
    await define('fewer', templates({ password }))
    expect(conditionStatus(await redeploy('fewer'), 'Ready')).toBe('True')
    expect(await secretAt(organization, path)).toEqual({ password: canary })
  })

  test('are read from a Secret of another controller, as secret outputs', async () => {
    const observed = { login: { apiVersion: 'v1', kind: 'Secret', name: 'made-by-{{ .type }}' } }
    const templates = {
      manifests: { settings: configMap('settings') },
      outputs: { host: 'db' },
      secrets: { password: '{{ await .observed.login "data.password" }}' },
    }
    const deployed = deploy('observed', templates, { observed })
    const message = await readinessIn(organization, 'observed', 'postgres', 'OutputsNotReady')
    expect(message).toContain("not there yet: Secret 'made-by-postgres'")
    await organization.kube('POST', inside('observed', 'secrets', ''), {
      metadata: { name: 'made-by-postgres' },
      stringData: { password: canary },
    })
    expect(conditionStatus(await deployed, 'Ready')).toBe('True')
    const { status } = await databaseIn('observed')
    expect(status?.outputs).toEqual({ host: 'db' })
    const path = `/api/v1/namespaces/${organization.id}/secrets/${status?.outputsSecretName}`
    expect(await secretAt(organization, path)).toEqual({ password: canary })
  })

  test('of a random value in the cookie stay the same over deployments', async () => {
    const templates = {
      cookie: { name: '{{ if .cookie }}{{ .cookie.name }}{{ else }}{{ randAlphaNum 16 }}{{ end }}' },
      outputs: { name: '{{ .cookie.name }}' },
    }
    await deploy('random', templates)
    const first = (await databaseIn('random')).status?.outputs
    expect(first?.name).toMatch(/^\w{16}$/)
    await define('random', { ...templates, manifests: { more: configMap('more') } })
    expect(conditionStatus(await redeploy('random'), 'Ready')).toBe('True')
    expect(await objectAt(organization, inside('random', 'configmaps', 'more'))).toBeDefined()
    expect((await databaseIn('random')).status?.outputs).toEqual(first)
  })
})

describe('a namespace that is not of the environment', () => {
  const { id } = organization
  test.each([
    ['the one of the installation', 'system', 'quartermaster-system', 'quartermaster-admin', 'token'],
    ['the one of the organization', 'organization', id, 'login', 'password'],
  ])('is not read from, be it %s: NamespaceNotOpen', async (_, environment, namespace, name, key) => {
    await organization.define(`namespace-${environment}`, {
      type: 'k8s-namespace',
      driverType: 'quartermaster/echo',
      driverInputs: { values: { namespace } },
      criteria: [{ envId: environment }],
    })
    await untilKnown(organization, `namespace-${environment}`)
    const observed = { wanted: { apiVersion: 'v1', kind: 'Secret', name } }
    const secrets = { stolen: `{{ await .observed.wanted "data.${key}" }}` }
    expect(conditionStatus(await deploy(environment, { secrets }, { observed }), 'Ready')).toBe('False')
    await readinessIn(organization, environment, 'postgres', 'NamespaceNotOpen')
    expect((await databaseIn(environment)).status?.outputsSecretName).toBe(undefined)
  })

  test.each([
    ['two dots', 'dots', '..'],
    ['two dots and more', 'path', `../../${id}/secrets/login`],
    ['a subresource', 'subresource', 'login/status'],
  ])('cannot be reached by %s in a name', async (_, environment, name) => {
    const observed = { wanted: { apiVersion: 'v1', kind: 'Secret', name } }
    const secrets = { stolen: '{{ await .observed.wanted "metadata" | toJson }}' }
    void deploy(environment, { secrets }, { observed }).catch(() => {})
    const reason = await eventually('an outcome', 30_000, async () => {
      const ready = readyOf(await databaseIn(environment))
      return ['', 'Pending', 'Progressing'].includes(ready.reason) ? undefined : ready.reason
    })
    expect(reason).toBe('InvalidName')
    expect((await databaseIn(environment)).status?.outputsSecretName).toBe(undefined)
  })
})

test('a template that never ends has a condition, and others go on', async () => {
  const loop =
    '{{ define "again" }}{{ range 30000 }}{{ range 30000 }}{{ end }}{{ end }}{{ end }}{{ template "again" }}'
  const hostile = deploy('hostile', { outputs: { host: loop } })
  expect(await readinessIn(organization, 'hostile', 'postgres', 'TemplateTooSlow')).toContain("'outputs'")
  expect(conditionStatus(await deploy('harmless', { outputs: { host: 'db' } }), 'Ready')).toBe('True')
  expect(conditionStatus(await hostile, 'Ready')).toBe('False')
})
