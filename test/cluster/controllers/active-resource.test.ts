import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import {
  conditionStatus,
  eventually,
  makeTestOrganization,
  moduleWith,
  type Organization,
  readyOf,
} from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const echo = 'quartermaster/echo'
let organization: Organization

const resourceCalled = async (type: string, resourceId?: string): Promise<ActiveResource | undefined> =>
  (await organization.resources()).find(
    ({ spec }) => spec.type === type && (!resourceId || spec.resourceId === resourceId),
  )

beforeAll(async () => {
  organization = await makeTestOrganization(sharedCluster(), 'life')
  await organization.define('dns', {
    type: 'dns',
    driverType: echo,
    driverInputs: { values: { host: '${context.app.id}-${context.env.id}.example.test' } },
    provision: { ingress: {} },
    criteria: [{}],
  })
  await organization.define('ingress', {
    type: 'ingress',
    driverType: 'quartermaster/ingress',
    driverInputs: { values: { class: 'nginx' } },
    criteria: [{}],
  })
  await organization.define('redis', {
    type: 'redis',
    driverType: echo,
    driverInputs: { values: { host: 'one', port: 6379 } },
    criteria: [{}],
  })
  await organization.application('shop')
})

const web = (port = 8080) =>
  moduleWith(
    { dns: { type: 'dns' } },
    { ingress: { rules: { 'externals.dns': { http: { '/': { type: 'prefix', port } } } } } },
  )
const ingressPath = (environment: string, name: string) =>
  `/apis/networking.k8s.io/v1/namespaces/${organization.id}--shop--${environment}/ingresses/${name}`

describe('a resource that is made of objects', () => {
  let name = ''
  beforeAll(async () => {
    await organization.environment('shop', 'objects')
    await organization.deploy('shop.objects', { modules: { web: web() } })
    name = `${(await resourceCalled('ingress'))?.metadata.name}-ingress`
  })

  test('its object is in the namespace of the environment, marked as ours, and recorded', async () => {
    const { status, body } = await organization.kube<{ metadata: { labels: object; uid: string } }>(
      'GET',
      ingressPath('objects', name),
    )
    expect(status).toBe(200)
    expect(body.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'quartermaster' })
    const resource = await resourceCalled('ingress')
    expect(resource?.status?.objects).toMatchObject([{ kind: 'Ingress', name, uid: body.metadata.uid }])
  })

  test('a deleted object is created again', async () => {
    await organization.kube('DELETE', ingressPath('objects', name))
    await eventually('the Ingress', 30_000, async () => {
      const { status } = await organization.kube('GET', ingressPath('objects', name))
      return status === 200 || undefined
    })
  })

  test('a changed object is restored', async () => {
    const patch = { spec: { ingressClassName: 'foreign' } }
    await organization.kube('PATCH', ingressPath('objects', name), patch, 'application/merge-patch+json')
    await eventually('the class', 30_000, async () => {
      const { body } = await organization.kube<{ spec: { ingressClassName: string } }>(
        'GET',
        ingressPath('objects', name),
      )
      return body.spec.ingressClassName === 'nginx' || undefined
    })
  })

  test('an object that is no longer needed is deleted', async () => {
    await organization.deploy('shop.objects', { modules: { web: moduleWith({ dns: { type: 'dns' } }) } })
    const { status } = await organization.kube('GET', ingressPath('objects', name))
    expect(status).toBe(404)
    expect((await resourceCalled('ingress'))?.status?.objects).toBeUndefined()
  })

  test('an object of another owner with the same name does not change: Stalled, Conflict', async () => {
    const foreign = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name },
      spec: { defaultBackend: { service: { name: 'theirs', port: { number: 1 } } } },
    }
    await organization.kube('POST', ingressPath('objects', '').slice(0, -1), foreign)
    const deployment = await organization.deploy('shop.objects', { modules: { web: web() } })
    expect(conditionStatus(deployment, 'Stalled')).toBe('True')
    expect(deployment.status?.problems?.map(({ reason }) => reason)).toEqual(['Conflict'])
    const { body } = await organization.kube<{ spec: object }>('GET', ingressPath('objects', name))
    expect(body.spec).toHaveProperty('defaultBackend.service.name', 'theirs')
  })

  test('once the obstacle is removed the next deployment succeeds, without any other change', async () => {
    await organization.kube('DELETE', ingressPath('objects', name))
    const deployment = await organization.deploy('shop.objects', { modules: { web: web() } })
    expect(conditionStatus(deployment, 'Ready')).toBe('True')
  })

  test('v1beta1 is rendered as asked and never silently a v1 object: Stalled, NotServed', async () => {
    await organization.define('ingress-old', {
      type: 'ingress',
      driverType: 'quartermaster/ingress',
      driverInputs: { values: { api_version: 'v1beta1' } },
      criteria: [{ envId: 'old' }],
    })
    await organization.environment('shop', 'old')
    const deployment = await organization.deploy('shop.old', { modules: { web: web() } })
    expect(deployment.status?.problems?.map(({ reason }) => reason)).toEqual(['NotServed'])
  })
})

describe('the phases of a resource', () => {
  const redis = { modules: { api: moduleWith({ cache: { type: 'redis' } }) } }
  beforeAll(async () => {
    await organization.environment('shop', 'life')
    await organization.deploy('shop.life', redis)
  })
  const cache = () =>
    organization
      .resources()
      .then((all) => all.find(({ spec }) => spec.environmentName === 'shop.life' && spec.type === 'redis'))

  test('redeploying unchanged content writes nothing on resources', async () => {
    const before = await cache()
    const deployment = await organization.deploy('shop.life', redis)
    expect(deployment.status?.plan).toMatchObject({ create: 0, update: 0, unchanged: 2 })
    expect((await cache())?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion)
  })

  test('editing a definition changes nothing until the next deployment, which provisions again under the same GUResID', async () => {
    const before = await cache()
    await organization.define('redis', {
      type: 'redis',
      driverType: echo,
      driverInputs: { values: { host: 'two', port: 6379 } },
      criteria: [{}],
    })
    expect((await cache())?.status?.outputs).toMatchObject({ host: 'one' })
    const deployment = await organization.deploy('shop.life', redis)
    expect(deployment.status?.plan).toMatchObject({ update: 1 })
    const after = await cache()
    expect(after?.status?.outputs).toMatchObject({ host: 'two' })
    expect(after?.metadata.uid).toBe(before?.metadata.uid)
  })

  test('removing the dependency and redeploying keeps the resource, with a condition that says so', async () => {
    const before = await cache()
    await organization.deploy('shop.life', { modules: { api: moduleWith({}) } })
    const kept = await eventually('the condition Unused', 30_000, async () => {
      const found = await cache()
      return conditionStatus(found, 'Unused') === 'True' ? found : undefined
    })
    expect(kept.metadata.uid).toBe(before?.metadata.uid)
    expect(kept.status?.outputs).toEqual(before?.status?.outputs)
    expect(conditionStatus(kept, 'Ready')).toBe('True')
  })

  test('using it again finds it', async () => {
    await organization.deploy('shop.life', redis)
    const again = await cache()
    expect(conditionStatus(again, 'Unused')).toBeUndefined()
    expect(again?.spec.unusedSince).toBeUndefined()
  })

  test('an explicit delete deprovisions it without the environment; the next deployment makes it again', async () => {
    const before = await cache()
    await organization.remove('activeresources', before?.metadata.name ?? '')
    await eventually('the end of the resource', 30_000, async () => ((await cache()) ? undefined : true))
    await organization.deploy('shop.life', redis)
    expect((await cache())?.metadata.name).toBe(before?.metadata.name)
  })
})

describe('deployments that cannot succeed', () => {
  beforeAll(() => organization.environment('shop', 'refused', 'production'))

  test('a dependency without a matching definition lists the candidates and the reason of each mismatch', async () => {
    await organization.define('s3-elsewhere', { type: 's3', driverType: echo, criteria: [{ appId: 'blog' }] })
    const deployment = await organization.deploy('shop.refused', {
      modules: { api: moduleWith({ files: { type: 's3' } }) },
    })
    expect(conditionStatus(deployment, 'Stalled')).toBe('True')
    const [problem] = deployment.status?.problems ?? []
    expect(problem).toMatchObject({
      object: 's3.default#modules.api.externals.files',
      reason: 'NoMatchingDefinition',
    })
    expect(problem?.message).toContain('s3-elsewhere')
    expect(problem?.message).toContain('blog')
    expect(
      (await organization.resources()).filter(({ spec }) => spec.environmentName === 'shop.refused'),
    ).toEqual([])
  })

  test('of two equal criteria the older definition keeps it, and the younger is not ready', async () => {
    await organization.define('first-mysql', { type: 'mysql', driverType: echo, criteria: [{}] })
    await new Promise((resolve) => {
      setTimeout(resolve, 1100) // creation times have seconds
    })
    await organization.define('second-mysql', { type: 'mysql', driverType: echo, criteria: [{}] })
    const younger = await eventually('the outcome', 30_000, async () => {
      const found = await organization.get('resourcedefinitions', 'second-mysql')
      return conditionStatus(found, 'Ready') === 'False' ? found : undefined
    })
    expect(readyOf(younger)).toMatchObject({ reason: 'DuplicateCriterion' })
    await organization.remove('resourcedefinitions', 'first-mysql')
    await eventually('the younger one', 30_000, async () => {
      const found = await organization.get('resourcedefinitions', 'second-mysql')
      return conditionStatus(found, 'Ready') === 'True' || undefined
    })
  })
})

describe('the end', () => {
  test('deleting an environment deprovisions its resources and takes its namespace along', async () => {
    await organization.environment('shop', 'short')
    await organization.deploy('shop.short', { modules: { web: web() } })
    const namespace = `/api/v1/namespaces/${organization.id}--shop--short`
    expect((await organization.kube('GET', namespace)).status).toBe(200)
    await organization.remove('environments', 'shop.short')
    await eventually('the end of the environment', 30_000, async () =>
      (await organization.get('environments', 'shop.short')) ? undefined : true,
    )
    expect(
      (await organization.resources()).filter(({ spec }) => spec.environmentName === 'shop.short'),
    ).toEqual([])
    expect((await organization.kube('GET', namespace)).status).toBe(404)
  })

  test('deleting the namespace of an organization ends', async () => {
    await organization.kube('DELETE', `/api/v1/namespaces/${organization.id}`)
    await eventually('the end of the organization', 60_000, async () => {
      const { status } = await organization.kube('GET', `/api/v1/namespaces/${organization.id}`)
      return status === 404 || undefined
    })
    const { status } = await organization.kube('GET', `/api/v1/namespaces/${organization.id}--shop--objects`)
    expect(status).toBe(404)
  })
})
