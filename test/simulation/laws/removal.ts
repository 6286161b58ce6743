import type { StoredObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { servedAs } from '../server/resources.ts'
import { organization } from '../surroundings.ts'
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

function remaining(
  world: World,
  kind: string,
  remains: (object: StoredObject) => boolean = () => true,
): Finding[] {
  return problemsOf(world.server.storage.list(servedAs(kind)), (each) =>
    remains(each) ? `it remains: ${readyText(each)}` : undefined,
  )
}

/** Laws of the removal of all applications, or of the whole organization. */
export function removalLaws(isWhole: boolean): readonly Law[] {
  return [
    {
      law: 'An application is deleted with all that it owns.',
      findings: (world) => owned.flatMap((kind) => remaining(world, kind)),
    },
    {
      law: 'The namespaces of deleted environments are deleted.',
      findings: (world) =>
        remaining(world, 'Namespace', ({ metadata }) => metadata.name.startsWith(`${organization}--`)),
    },
    {
      law: 'Nothing exists outside after all resources are deleted.',
      findings: ({ outside }) =>
        [...outside.instances.keys()].map((key) => ({
          object: `ActiveResource ${key}`,
          detail: 'its instance exists outside',
        })),
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
