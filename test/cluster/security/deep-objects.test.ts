import { expect, test } from '@jest/globals'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { conditionStatus, eventually, makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const first = await makeTestOrganization(cluster, 'deep')
const second = await makeTestOrganization(cluster, 'flat')

test.each([4000, 9000])(
  'values nested %d deep, which the API server takes, hide no other object',
  async (depth) => {
    const definition = {
      apiVersion: 'quartermaster.dev/v1alpha1',
      kind: 'ResourceDefinition',
      metadata: { name: `deep-${depth}` },
      spec: { type: 's3', driverType: 'quartermaster/echo', driverInputs: { values: { list: 0 } } },
    }
    const text = JSON.stringify(definition).replace(
      '"list":0',
      `"list":${'['.repeat(depth)}${']'.repeat(depth)}`,
    )
    const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${first.id}/resourcedefinitions`
    expect((await first.kube('POST', path, text)).status).toBe(201)
    const name = `later-${depth}`
    await second.define(name, {
      type: 's3',
      driverType: 'quartermaster/echo',
      criteria: [{ class: name }],
    })
    await eventually('the other definition', 30_000, async () => {
      const later = await second.get<ResourceDefinition>('resourcedefinitions', name)
      return conditionStatus(later, 'Ready') === 'True' || undefined
    })
    await second.untilRest(`/resources/defs/${name}`)
    const isShown = (body: { id: string }[]) => body.some(({ id }) => id === `deep-${depth}`)
    await first.untilRest('/resources/defs', isShown)
    expect((await first.rest('DELETE', `/resources/defs/deep-${depth}`)).status).toBe(204)
  },
)
