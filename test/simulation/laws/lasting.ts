import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { namespaceResource } from '../../../operator/kube/client/resource.ts'
import type { Change } from '../server/storage.ts'
import { objectOf } from '../surroundings.ts'
import type { World } from '../world.ts'
import type { WriteLaw } from './law.ts'

/** The resource of a write. */
function writtenIn({ served, object }: Change): ActiveResource | undefined {
  return served.kind === ActiveResource.kind ? (object as unknown as ActiveResource) : undefined // as its kind says
}

/** What a resource is, with any definition. */
function identityOf({ metadata: { namespace }, spec }: ActiveResource): string {
  return [namespace, spec.environmentName, spec.type, spec.class, spec.resourceId].join(' ')
}

/** Whether the environment of a resource, or its organization, is there and stays. */
function isNeeded({ metadata: { namespace }, spec }: ActiveResource, world: World): boolean {
  const environment = objectOf(world, Environment, spec.environmentName, namespace)
  const organization = world.server.storage.get(namespaceResource, undefined, namespace)
  return [environment, organization].every((each) => each && each.metadata.deletionTimestamp === undefined)
}

/** Laws of resources that outlast deployments, with the memory that they need. */
export function lastingLaws(): readonly WriteLaw[] {
  const names = new Map<string, string>()
  const identities = new Map<string, string>()
  return [
    {
      law: 'A resource has the same GUResID each time that it is made, and no other resource has it.',
      problem(change) {
        const resource = change.type === 'ADDED' ? writtenIn(change) : undefined
        if (!resource) return undefined
        const { name } = resource.metadata
        const identity = identityOf(resource)
        const [known = name, other = identity] = [names.get(identity), identities.get(name)]
        names.set(identity, name)
        identities.set(name, identity)
        if (known !== name) return `it was ${known}`
        return other === identity ? undefined : `it is that of ${other}`
      },
    },
    {
      law: 'The operator deletes a resource with its environment only: what no workload uses is kept.',
      problem(change, world) {
        const resource = writtenIn(change)
        const { before, object } = change
        const begins = object.metadata.deletionTimestamp ?? (change.type === 'DELETED' ? 'now' : undefined)
        if (!resource || begins === undefined || before?.metadata.deletionTimestamp !== undefined)
          return undefined
        if (world.server.storage.writer?.isGateway !== false) return undefined
        return isNeeded(resource, world) ? `${resource.spec.environmentName} stays` : undefined
      },
    },
  ]
}
