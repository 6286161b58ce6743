import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { servedAs } from '../server/resources.ts'
import { objectOf, objectsOf } from '../surroundings.ts'
import type { World } from '../world.ts'
import { hasEnded } from './deployment-writes.ts'
import { graphLaws } from './deployments/graph.ts'
import { deployedPodLaws } from './deployments/pods.ts'
import { type Law, problemsOf, readyText } from './law.ts'
import { rivalUseLaws } from './rivals.ts'

const isDeleted = ({ metadata }: StoredObject) => metadata.deletionTimestamp !== undefined
/** A deployment waits for a missing Secret until its time limit, and others behind it. */
const waitsLong = /SecretNotFound|DeploymentInProgress/

/** Whether a Secret that is being deleted is named by a resource. */
function isNeeded({ metadata }: StoredObject, world: World): boolean {
  return objectsOf(world, ActiveResource).some(
    (each) =>
      each.metadata.namespace === metadata.namespace &&
      JSON.stringify([each.spec.definition, each.status?.secretNames, each.spec.values]).includes(
        `"${metadata.name}"`,
      ),
  )
}

/** Laws about what must end by itself. */
export const endingLaws: readonly Law[] = [
  {
    law: 'Every deployment ends.',
    findings: (world) =>
      problemsOf(objectsOf(world, EnvironmentDeployment), (each) =>
        hasEnded(each) || waitsLong.test(readyText(each)) ? undefined : readyText(each),
      ),
  },
  {
    law: 'Every deletion ends.',
    findings: (world) =>
      kinds.flatMap((kind) =>
        problemsOf(objectsOf(world, kind), (each) =>
          isDeleted(each) ? `${readyText(each)}, finalizers ${each.metadata.finalizers?.join()}` : undefined,
        ),
      ),
  },
  {
    law: 'A deleted Secret is kept only while a resource needs it.',
    findings: (world) =>
      problemsOf(world.server.storage.list(servedAs('Secret')), (each) =>
        isDeleted(each) && !isNeeded(each, world)
          ? `no resource needs it, finalizers ${each.metadata.finalizers?.join()}`
          : undefined,
      ),
  },
  {
    law: 'The deletion of a namespace ends.',
    findings: (world) =>
      problemsOf(world.server.storage.list(servedAs('Namespace')), (each) =>
        isDeleted(each) ? 'it is terminating' : undefined,
      ),
  },
  {
    law: 'An environment remembers a deployment set that exists.',
    findings: (world) =>
      problemsOf(objectsOf(world, Environment), ({ metadata, status }) => {
        const name = status?.lastPlanned?.setName
        const exists = objectOf(world, DeploymentSet, name, metadata.namespace)
        return name === undefined || exists ? undefined : `it remembers ${name}`
      }),
  },
]

/** How many objects fail until a person repairs something: the operator tries them again, and writes. */
export function failuresIn(world: World): number {
  const objects = kinds.flatMap((kind): StoredObject[] => objectsOf(world, kind))
  return objects.filter((each) => each.status && !readyText(each).startsWith('True')).length
}

/** A deployment of an organization. */
export interface Named {
  readonly owner: string
  readonly name: string
}

const environmentOf = ({ metadata, spec }: EnvironmentDeployment | ActiveResource) =>
  `${metadata.namespace}/${spec.environmentName}`

/** Whether a deployment is the last one of its environment. */
export function isLast({ metadata, spec }: EnvironmentDeployment, world: World): boolean {
  const environment = objectOf(world, Environment, spec.environmentName, metadata.namespace)
  return environment?.status?.lastPlanned?.deploymentName === metadata.name
}

/** Laws of deployments that nothing hinders. */
export function finalLaws(all: readonly Named[]): readonly Law[] {
  const find = (world: World, { name, owner }: Named) => objectOf(world, EnvironmentDeployment, name, owner)
  const deploymentsOf = (world: World) => all.flatMap((each) => find(world, each) ?? [])
  /** The resources that the deployments use which have succeeded. */
  const inUse = (world: World) => {
    const succeeded = deploymentsOf(world).filter((each) => readyText(each).startsWith('True'))
    const environments = new Set(succeeded.map(environmentOf))
    return objectsOf(world, ActiveResource).filter(
      (each) => each.spec.unusedSince === undefined && environments.has(environmentOf(each)),
    )
  }
  /** Those that have succeeded, and after which no version of an image was deployed. */
  const succeeded = (world: World) =>
    deploymentsOf(world).filter((each) => readyText(each).startsWith('True') && isLast(each, world))
  return [
    ...rivalUseLaws(inUse),
    ...graphLaws(succeeded),
    ...deployedPodLaws(succeeded),
    {
      law: 'A deployment that nothing hinders succeeds.',
      findings: (world) => [
        ...all
          .filter((each) => !find(world, each))
          .map(({ name }) => ({ object: `EnvironmentDeployment ${name}`, detail: 'it is gone' })),
        ...problemsOf(deploymentsOf(world), (each) =>
          readyText(each).startsWith('True')
            ? undefined
            : `${readyText(each)} ${JSON.stringify(each.status?.problems ?? []).slice(0, 600)}`,
        ),
      ],
    },
    {
      law: 'When a deployment has succeeded, all resources in use are ready.',
      findings: (world) =>
        problemsOf(inUse(world), (each) =>
          readyText(each).startsWith('True') ? undefined : readyText(each),
        ),
    },
  ]
}
