import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { servedAs } from '../server/resources.ts'
import { objectsOf, organization, otherOrganization, resourceNamed } from '../surroundings.ts'
import type { World } from '../world.ts'
import { type Finding, type Law, problemsOf, readyText } from './law.ts'

/** What an application owns, and all below it. */
const owned = [
  'Application',
  'Environment',
  'EnvironmentDeployment',
  'ActiveResource',
  'DeploymentSet',
  'DeploymentDelta',
  'SharedValue',
  'Workload',
  'AutomationRule',
]

/** Whether a gateway created a deployment when its environment had ended: it fails, and stays. */
function isLateOverRest({ kind, status }: StoredObject, { features }: World): boolean {
  return (
    features.gateways &&
    kind === 'EnvironmentDeployment' &&
    !(isObject(status) && status['startTime'] !== undefined)
  )
}

function remaining(
  world: World,
  kind: string,
  remains: (object: StoredObject) => boolean = () => true,
): Finding[] {
  const list = world.server.storage.list(servedAs(kind))
  return problemsOf(list, (each) =>
    each.metadata.namespace !== otherOrganization && remains(each)
      ? `it remains: ${readyText(each)}`
      : undefined,
  )
}

/** The resources of the other organization. */
const inOther = (world: Pick<World, 'server'>) =>
  objectsOf(world, ActiveResource).filter(({ metadata }) => metadata.namespace === otherOrganization)

/**
 * Laws of the removal of all applications, or of the whole organization; `before` it, the other one had these ready resources. A
 * gateway that ends while it makes an object for an application that has just ended cannot take it back: `isUnanswered` says so.
 */
export function removalLaws(
  isWhole: boolean,
  before: readonly ActiveResource[],
  isUnanswered: (object: StoredObject) => boolean,
): readonly Law[] {
  return [
    {
      law: 'The removal of an organization leaves the resources of another one as they are.',
      findings: (world) =>
        problemsOf(before, ({ metadata: { name } }) => {
          const after = resourceNamed(world, name)
          if (!after) return 'it is gone'
          const isReady = after.spec.unusedSince !== undefined || readyText(after).startsWith('True')
          return isReady ? undefined : readyText(after)
        }),
    },
    {
      law: 'An application is deleted with all that it owns.',
      findings: (world) =>
        owned.flatMap((kind) =>
          remaining(world, kind, (each) => !isLateOverRest(each, world) && !isUnanswered(each)),
        ),
    },
    {
      law: 'The namespaces of deleted environments are deleted.',
      findings: (world) =>
        remaining(world, 'Namespace', ({ metadata }) => metadata.name.startsWith(`${organization}--`)),
    },
    {
      law: 'Nothing exists outside after all resources are deleted.',
      findings: ({ outside, ...world }) => {
        const others = new Set(inOther(world).map(({ metadata }) => metadata.name))
        return [...outside.instances.keys()]
          .filter((key) => !others.has(key.split('/')[0] ?? ''))
          .map((key) => ({ object: `ActiveResource ${key}`, detail: 'its instance exists outside' }))
      },
    },
    {
      law: 'No Secret keeps our finalizer after all resources are deleted, and none that was made for a resource remains.',
      findings: (world) =>
        remaining(
          world,
          'Secret',
          ({ metadata }) =>
            (metadata.finalizers?.length ?? 0) > 0 ||
            (metadata.ownerReferences !== undefined && /outputs|cookie/.test(metadata.name)),
        ),
    },
    {
      law: 'An organization is deleted with its namespace.',
      findings: (world) =>
        isWhole
          ? [
              ...remaining(world, 'Namespace', ({ metadata }) => metadata.name === organization),
              ...kinds.flatMap(({ kind }) =>
                remaining(world, kind, ({ metadata }) => metadata.namespace === organization),
              ),
            ]
          : [],
    },
  ]
}

/** The ready resources of the other organization. */
export function readyInOther(world: World): readonly ActiveResource[] {
  return inOther(world).filter((each) => readyText(each).startsWith('True'))
}
