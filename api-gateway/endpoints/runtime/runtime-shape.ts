import {
  boolean,
  integer,
  list,
  map,
  object,
  oneOf,
  type Static,
  string,
  type TSchema,
  time,
} from '../../../operator/api/schema.ts'
import { objectName } from '../../request/parameters.ts'
import { named } from '../../response/shapes.ts'

const statuses = [
  'Running',
  'Succeeded',
  'Starting',
  'Partially Succeeded',
  'Failed',
  'Stopped',
  'Unknown',
] as const
const podStatuses = ['Success', 'Pending', 'Failure', 'Unknown'] as const
const phases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const

const statusField = oneOf(
  statuses,
  'State of the pods. `Partially Succeeded`: some run, others cannot. `Stopped`: none are wanted.',
)

const containerShape = named(
  'ContainerStatus',
  object(
    {
      name: string('Name of the container.'),
      ready: boolean('Whether the container is ready.'),
      restart_count: integer('How often the container was restarted.'),
      status: oneOf(podStatuses, 'State of the container in one word.'),
      state: object(
        {},
        {
          waiting: object(
            {},
            {
              reason: string('Why the container waits.'),
              message: string('Details, for images that cannot be pulled.', { maxLength: 65_536 }),
            },
            'The container waits to start.',
          ),
          running: object({}, { started_at: time('Time at which it started.') }, 'The container runs.'),
          terminated: object(
            {},
            {
              exit_code: integer('Exit code.'),
              signal: integer('Signal that ended it.'),
              reason: string('Why it ended.'),
              started_at: time('Time at which it started.'),
              finished_at: time('Time at which it ended.'),
            },
            'The container ended.',
          ),
        },
        'State of the container; one of the fields.',
      ),
    },
    {},
    'A container of a pod.',
  ),
)

const podShape = named(
  'RuntimePod',
  object(
    {
      podName: string('Name of the pod.', { maxLength: 253 }),
      revision: integer('Revision of the controller that the pod belongs to.'),
      phase: oneOf(phases, 'Phase of the pod.'),
      status: oneOf(podStatuses, 'State of the pod in one word.'),
      containerStatuses: list(containerShape, 'Containers, those that run first before the others.'),
    },
    {},
    'A pod.',
  ),
)

const statusClasses = ['Success', 'Failure', 'Warning', 'Stopped', 'Unknown'] as const
const statusClassField = oneOf(
  statusClasses,
  'Class of the state: `Success` of `Running` and `Succeeded`, `Warning` of `Starting` and `Partially Succeeded`, `Failure` of `Failed`.',
)

/** An object that runs pods, with the status of the form. */
function controllerWith<S extends TSchema>(status: S) {
  return object(
    {
      kind: string('`Deployment`, `StatefulSet`, `Job` or `CronJob`.'),
      replicas: integer('Number of pods that are wanted.'),
      status,
      message: string('Why the workload is not ready, or why its pods do not run; empty otherwise.', {
        maxLength: 65_536,
      }),
      revision: integer(
        'Revision of a Deployment. Objects of other kinds have the revision 1, and their older pods 0.',
      ),
      pods: list(podShape, 'Pods, by name.'),
    },
    {},
    'An object that runs pods.',
  )
}

const controllerShape = named('RuntimeController', controllerWith(statusClassField))
const secondControllerShape = named('RuntimeControllerV2', controllerWith(statusField))

/** Runtime information of one environment in the first form. */
export const runtimeShape = named(
  'EnvironmentRuntime',
  object(
    {
      namespace: string('Namespace for the Kubernetes objects of the environment.'),
      modules: map(
        map(
          controllerShape,
          'Objects that run the pods of the workload, by name. If two have the same name: by kind and name, such as `deployment/orders`.',
        ),
        'Workloads that have such objects, by ID.',
      ),
    },
    {},
    'Runtime information of an environment.',
  ),
)

/** Runtime information of one environment in the second form. */
export const secondRuntimeShape = named(
  'EnvironmentRuntimeV2',
  object(
    {
      namespace: string('Namespace for the Kubernetes objects of the environment.'),
      modules: map(
        object(
          {
            status: statusField,
            status_class: statusClassField,
            controllers: map(
              secondControllerShape,
              'Objects that run the pods of the workload, such as `deployment/orders`.',
            ),
          },
          {},
          'A workload.',
        ),
        'Workloads that have such objects, by ID.',
      ),
    },
    {},
    'Runtime information of an environment, with the status of each workload.',
  ),
)

/** Runtime information of several environments. */
export const runtimeListShape = list(
  named(
    'EnvironmentRuntimeStatus',
    object(
      { id: objectName('Environment ID.'), paused: boolean('Whether the pods are stopped.') },
      { status: statusField, error: string('Why the status is missing.') },
      'State of the workloads of an environment. Without workloads, it has no status.',
    ),
  ),
  'Environments.',
)

export type FirstRuntime = Static<typeof runtimeShape>
export type SecondRuntime = Static<typeof secondRuntimeShape>
export type RuntimeStatusClass = (typeof statusClasses)[number]
export type RuntimeController = Static<typeof secondControllerShape>
export type RuntimeStatus = RuntimeController['status']
export type RuntimePod = Static<typeof podShape>
export type RuntimeContainer = Static<typeof containerShape>
