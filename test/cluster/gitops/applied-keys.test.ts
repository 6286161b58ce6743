import { beforeAll, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { apiVersion } from '../../../operator/api/names.ts'
import { eventually, makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const organization = await makeTestOrganization(sharedCluster(), 'keys')

/** Objects whose specs hold keys of the user, as a GitOps tool applies them. */
const applied: readonly (readonly [plural: string, kind: string, name: string, spec: object])[] = [
  [
    'resourcedefinitions',
    'ResourceDefinition',
    'files',
    {
      type: 's3',
      driverType: 'quartermaster/echo',
      driverInputs: {
        values: { region: 'eu', deep: { a: 1 } },
        secretRefs: { key: { secret: 's', key: 'k' } },
      },
      provision: { dns: { params: { a: 1 } } },
    },
  ],
  ['resourcetypes', 'ResourceType', 'own', { use: 'direct', inputsSchema: { type: 'object' } }],
  [
    'deploymentdeltas',
    'DeploymentDelta',
    'change',
    { applicationName: 'shop', modules: { add: { web: { spec: { a: 1 } } } } },
  ],
  [
    'webhooks',
    'Webhook',
    'hook',
    { applicationName: 'shop', url: 'hooks.example.com', headers: { a: 'b' }, payload: { a: 1 } },
  ],
]

beforeAll(() => organization.application('shop'))

/** Keys that another client adds. */
const additions: Readonly<Record<string, object>> = {
  ResourceDefinition: {
    driverInputs: { values: { size: 3, deep: { b: 2 } }, secretRefs: { more: { secret: 's', key: 'l' } } },
    provision: { s3: {} },
  },
  ResourceType: { inputsSchema: { properties: { a: {} } } },
  DeploymentDelta: { modules: { add: { web: { spec: { b: 2 } }, api: {} } } },
  Webhook: { headers: { c: 'd' }, payload: { b: 2 } },
}

test.each(applied)(
  'fields that another client adds to a %s are removed by the next apply',
  async (plural, kind, name, spec) => {
    await organization.apply(plural, kind, name, spec)
    const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/${plural}/${name}?fieldManager=other`
    const added = { spec: additions[kind] }
    const { body } = await organization.kube<KubeObject>('PATCH', path, added, 'application/merge-patch+json')
    expect(body.spec).not.toEqual(spec)
    expect(body.spec).toMatchObject(additions[kind] ?? {})
    const after = await organization.apply(plural, kind, name, spec)
    expect(after.spec).toEqual(spec)
  },
)

test('labels and fields that are applied no more are removed, although the operator has written the status in between', async () => {
  const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/resourcedefinitions/labelled`
  const apply = async (metadata: object, spec: object) => {
    const body = {
      apiVersion,
      kind: 'ResourceDefinition',
      metadata: { name: 'labelled', ...metadata },
      spec: { type: 's3', driverType: 'quartermaster/echo', ...spec },
    }
    const manifest = 'application/apply-patch+yaml'
    return (await organization.kube<KubeObject>('PATCH', `${path}?fieldManager=tool`, body, manifest)).body
  }
  const untilObserved = (generation: number) =>
    eventually('a status', 30_000, async () => {
      const { status } = (await organization.kube<KubeObject>('GET', path)).body
      return (status as { observedGeneration?: number }).observedGeneration === generation || undefined
    })
  const optional = { labels: { team: 'a', tier: 'b' }, annotations: { note: 'c' } }
  await apply(optional, { displayName: 'Files', criteria: [{}] })
  await untilObserved(1)
  const after = await apply({ labels: { team: 'a' } }, { criteria: [{}] })
  expect(after.metadata.labels).toEqual({ team: 'a' })
  expect(after.metadata.annotations?.['note']).toBeUndefined()
  expect(after.spec).toEqual({ type: 's3', driverType: 'quartermaster/echo', criteria: [{}] })
  await untilObserved(2)
})
