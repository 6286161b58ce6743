import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import { type RunningProcess, startEverything } from '../../../dev/quartermaster.ts'
import {
  conditionStatus,
  eventually,
  makeTestOrganization,
  moduleWith,
  type Organization,
} from '../support/client.ts'
import { configMap } from '../support/templates.ts'

/** The earliest that the chart takes. Its API server cannot stream lists, and has no policy that records creators. */
const emulatedVersion = '1.33'
const namespaced = (plural: string) => `/api/v1/namespaces/${organization.id}--shop--live/${plural}`

let controlPlane: ControlPlane
let organization: Organization
const running: RunningProcess[] = []

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-earlier-'))
  controlPlane = await startControlPlane({ directory, emulatedVersion })
  const settings = { QUARTERMASTER_LEASE_SECONDS: '30' }
  const { operator, gateway, adminToken } = await startEverything(controlPlane, { directory, settings })
  running.push(operator, gateway)
  organization = await makeTestOrganization(
    { access: controlPlane, gatewayUrl: gateway.url, adminToken },
    'earlier',
  )
}, 900_000)

afterAll(async () => {
  await Promise.all(running.map((each) => each.stop()))
  await controlPlane?.stop()
})

describe(`on Kubernetes ${emulatedVersion}`, () => {
  test('the API server acts as one of this version', async () => {
    expect(await apiCall(controlPlane, 'GET', '/version')).toMatchObject({
      emulationMajor: '1',
      emulationMinor: emulatedVersion.slice(2),
    })
  })

  test('resources and workloads with objects become ready, also of kinds that have no object yet', async () => {
    await organization.define('store', {
      type: 's3',
      driverType: 'quartermaster/template',
      driverInputs: {
        values: { templates: { manifests: { store: configMap('store') }, outputs: { bucket: 'store' } } },
      },
      criteria: [{}],
    })
    await organization.application('shop')
    await organization.environment('shop', 'live')
    const web = moduleWith(
      { store: { type: 's3' } },
      { containers: { main: { image: 'images.example.test/web:1' } } },
    )
    const deployment = await organization.deploy('shop.live', { modules: { web } })
    expect(deployment.status?.problems).toBeUndefined()
    expect(conditionStatus(deployment, 'Ready')).toBe('True')
    expect((await organization.kube('GET', namespaced('serviceaccounts/web'))).status).toBe(200)
  })

  test('a changed object is restored', async () => {
    const path = namespaced('configmaps/store')
    await organization.kube('PATCH', path, { data: { size: '4' } }, 'application/merge-patch+json')
    await eventually('the size of before', 30_000, async () => {
      const { body } = await organization.kube<{ data: { size: string } }>('GET', path)
      return body.data.size === '3' || undefined
    })
  })

  test('REST creates, deploys and shows what kubectl made', async () => {
    const { status, body } = await organization.rest('POST', '/apps/shop/envs/live/deploys', {
      delta_id: await organization
        .rest('POST', '/apps/shop/deltas', { modules: {} })
        .then(({ body: { id } }) => id),
    })
    expect(status).toBe(201)
    const ended = await organization.untilRest(
      `/apps/shop/envs/live/deploys/${body.id}`,
      (each) => each.status !== 'in progress' && each.status !== 'pending',
    )
    expect(ended.status).toBe('succeeded')
  })

  test('a deleted environment takes its namespace along', async () => {
    await organization.remove('environments', 'shop.live')
    await eventually('the end of the namespace', 60_000, async () => {
      const { status } = await organization.kube('GET', `/api/v1/namespaces/${organization.id}--shop--live`)
      return status === 404 || undefined
    })
  })
})
