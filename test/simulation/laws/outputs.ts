import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { labels } from '../../../operator/api/names.ts'
import { ResourceType } from '../../../operator/api/resource-type.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { servedAs } from '../server/resources.ts'
import { objectOf, objectsOf, resourceNamed } from '../surroundings.ts'
import { customType } from '../users/names.ts'
import { type Law, problemsOf, readyText } from './law.ts'

/** Laws of the outputs of resources, and of the pods of workloads. */
export const outputLaws: readonly Law[] = [
  {
    law: 'An output that its type declares secret is in no status.',
    findings(world) {
      const schema = objectOf(world, ResourceType, customType.split('/')[1])?.spec.outputsSchema
      if (!JSON.stringify(schema ?? {}).includes('"secrets"')) return []
      return problemsOf(objectsOf(world, ActiveResource), ({ spec, status }) =>
        spec.type === customType && status?.outputs?.bucket !== undefined
          ? `it says ${JSON.stringify(status.outputs)}`
          : undefined,
      )
    },
  },
  {
    law: 'As many pods of a ready workload are wanted as its environment says, and none while it is paused.',
    findings: (world) =>
      problemsOf(world.server.storage.list(servedAs('Deployment')), ({ metadata, spec }) => {
        const resource = resourceNamed(world, metadata.labels?.[labels.resource])
        const isInUse = resource?.spec.unusedSince === undefined
        if (!resource || !isInUse || !readyText(resource).startsWith('True')) return undefined
        const { environmentName } = resource.spec
        const environment = objectOf(world, Environment, environmentName, resource.metadata.namespace)
        const { paused, replicas = {} } = environment?.spec ?? {}
        const workload = resource.spec.resourceId.replace('modules.', '')
        const wanted = paused ? 0 : (replicas[workload] ?? 1)
        const count = isObject(spec) ? (spec['replicas'] ?? 1) : undefined
        return count === wanted ? undefined : `it has ${String(count)} replicas, not ${wanted}`
      }),
  },
]
