import { boolean, integer, list, map, object, oneOf, type Static, string } from '../../api/schema.ts'
import { containerSchema, nativeContainerSchema } from './container-schema.ts'
import {
  annotationMap,
  labelMap,
  longSeconds,
  passed,
  podSecurity,
  portNumber,
  protocol,
  text,
} from './schema-parts.ts'

const serviceSchema = object(
  {},
  {
    ports: map(
      object(
        { service_port: portNumber('Port of the Service.') },
        {
          container_port: portNumber('Port of the container. That of the Service when absent.'),
          protocol,
          app_protocol: text('Protocol of the application, such as `http`.', { maxLength: 253 }),
        },
        'A port of the Service.',
      ),
      'Ports of the Service, by name.',
    ),
    type: oneOf(['ClusterIP', 'NodePort', 'LoadBalancer'], 'Type of the Service. `ClusterIP` when absent.'),
    headless: boolean('Whether the name of the Service resolves to the pods.'),
    session_affinity: oneOf(['None', 'ClientIP'], 'Whether a client keeps its pod.'),
    annotations: annotationMap('the Service'),
    labels: labelMap('the Service'),
  },
  'The Service of the workload; its name is that of the workload.',
)

export const podSchema = object(
  {},
  {
    annotations: annotationMap('the pods'),
    labels: labelMap('the pods'),
    initContainers: list(
      nativeContainerSchema,
      'Containers that run first, in the form of Kubernetes. A sidecar has `restartPolicy: Always`.',
    ),
    nodeSelector: map(text('Value of the label.', { maxLength: 63 }), 'Labels of the nodes for the pods.'),
    affinity: passed('Affinity of the pods.'),
    tolerations: passed('Taints that the pods tolerate.'),
    topologySpreadConstraints: passed('How the pods are spread over nodes.'),
    serviceAccountName: text('ServiceAccount of the pods.', { maxLength: 253 }),
    automountServiceAccountToken: boolean(
      'Whether the pods get a token of their ServiceAccount. False when absent; a ServiceAccount that the module names decides itself.',
    ),
    imagePullSecrets: passed('Secrets with credentials of registries.'),
    securityContext: podSecurity,
    terminationGracePeriodSeconds: longSeconds('Seconds that the pods have to end.', 0),
    priorityClassName: text('Priority class of the pods.', { maxLength: 253 }),
    preemptionPolicy: oneOf(['Never', 'PreemptLowerPriority'], 'Whether the pods preempt others.'),
    runtimeClassName: text('Runtime class of the pods.', { maxLength: 253 }),
    schedulerName: text('Scheduler of the pods.', { maxLength: 253 }),
    dnsPolicy: oneOf(['ClusterFirst', 'Default', 'None'], 'How the pods resolve names.'),
    dnsConfig: passed('Further settings of the resolver.'),
    hostAliases: passed('Further lines of `/etc/hosts`.'),
    hostname: text('Host name of the pods.', { maxLength: 63 }),
    subdomain: text('Subdomain of the host name.', { maxLength: 63 }),
    setHostnameAsFQDN: boolean('Whether the host name includes the domain.'),
    enableServiceLinks: boolean('Whether Services become environment variables. False when absent.'),
    shareProcessNamespace: boolean('Whether the containers share their processes.'),
    readinessGates: passed('Further conditions for ready pods.'),
    os: passed('Operating system of the pods.'),
  },
  'Fields of the pods.',
)

const replicas = integer('Number of pods. One when absent, or what an autoscaler sets.', { minimum: 0 })
const ownReplicas = integer('Number of pods, in place of `spec.replicas`.', { minimum: 0 })
const minReadySeconds = integer('Seconds that a pod must be ready to count as available.', { minimum: 0 })
const revisionHistoryLimit = integer('Number of old revisions to keep.', { minimum: 0 })

const deploymentSchema = object(
  {},
  {
    annotations: annotationMap('the Deployment'),
    labels: labelMap('the Deployment'),
    replicas: ownReplicas,
    strategy: passed('How pods are replaced.'),
    minReadySeconds,
    revisionHistoryLimit,
    progressDeadlineSeconds: integer('Seconds without progress after which the rollout fails.', {
      minimum: 1,
    }),
  },
  'Fields of the Deployment.',
)

const claimTemplate = object(
  { storage: string('Size, such as `10Gi`.', { maxLength: 64 }) },
  {
    storage_class: text('Storage class; that of the cluster when absent.', { maxLength: 253 }),
    access_modes: list(text('A mode.', { maxLength: 63 }), 'Access modes. `ReadWriteOnce` when absent.'),
  },
  'A volume of each pod.',
)

const statefulSetSchema = object(
  {},
  {
    annotations: annotationMap('the StatefulSet'),
    labels: labelMap('the StatefulSet'),
    replicas: ownReplicas,
    updateStrategy: passed('How pods are replaced.'),
    podManagementPolicy: oneOf(['OrderedReady', 'Parallel'], 'Whether pods start one after another.'),
    minReadySeconds,
    revisionHistoryLimit,
    persistentVolumeClaimRetentionPolicy: passed('When the claims of pods are deleted.'),
    volume_claims: map(claimTemplate, 'Volumes of each pod, by name; `volume_mounts` name them.'),
  },
  'Fields of the StatefulSet, for the profile `default-stateful`.',
)

const jobSchema = object(
  {},
  {
    annotations: annotationMap('the Job'),
    labels: labelMap('the Job'),
    activeDeadlineSeconds: longSeconds('Seconds after which the Job fails.', 1),
    backoffLimit: integer('Failed pods after which the Job fails.', { minimum: 0 }),
    completions: integer('Number of pods that must succeed.', { minimum: 0 }),
    completionMode: oneOf(['NonIndexed', 'Indexed'], 'Whether pods have an index.'),
    parallelism: integer('Number of pods that run at once.', { minimum: 0 }),
    podFailurePolicy: passed('Which failures count.'),
    restartPolicy: oneOf(
      ['Never', 'OnFailure'],
      'Whether a failed container starts again in its pod. `Never` when absent.',
    ),
    ttlSecondsAfterFinished: integer('Seconds after which an ended Job of a CronJob is deleted.', {
      minimum: 0,
    }),
  },
  'Fields of the Job, for the profiles `default-job` and `default-cronjob`.',
)

const cronJobSchema = object(
  {},
  {
    annotations: annotationMap('the CronJobs'),
    labels: labelMap('the CronJobs'),
    concurrencyPolicy: oneOf(['Allow', 'Forbid', 'Replace'], 'Whether Jobs run at the same time.'),
    startingDeadlineSeconds: longSeconds('Seconds that a Job may start late.', 0),
    successfulJobsHistoryLimit: integer('Number of succeeded Jobs to keep.', { minimum: 0 }),
    failedJobsHistoryLimit: integer('Number of failed Jobs to keep.', { minimum: 0 }),
    suspend: boolean('Whether no Job starts.'),
    timeZone: text('Time zone of the schedules.', { maxLength: 63 }),
  },
  'Fields of the CronJobs, for the profile `default-cronjob`.',
)

const scheduleSchema = object(
  { schedule: text('Schedule in the form of cron.', { maxLength: 253 }) },
  { containers: map(containerSchema, 'Fields of containers that differ for this schedule, by id.') },
  'A CronJob.',
)

const ingressSchema = object(
  {},
  {
    rules: map(
      object(
        {},
        {
          http: map(
            object(
              {},
              {
                type: text('Path type: `prefix`, `exact` or `implementationspecific`.', { maxLength: 63 }),
                port: passed('Port of the Service: its number or name.'),
              },
              'A path.',
            ),
            'Paths of the host.',
          ),
        },
        'Rules of a host.',
      ),
      'Rules by dependency of the type `dns`, such as `externals.dns`.',
    ),
  },
  'Paths that lead to the workload; the Ingress of the dependency has them.',
)

/** The field `spec` of a module. */
export const moduleSchema = object(
  {},
  {
    containers: map(containerSchema, 'Containers by id.', { maxProperties: 100 }),
    service: serviceSchema,
    ingress: ingressSchema,
    pod: podSchema,
    volumes: map(
      passed('A volume source in the form of Kubernetes, such as `emptyDir: {}`.'),
      'Volumes by name.',
    ),
    serviceAccountName: text('ServiceAccount of the pods. One with the name of the workload when absent.', {
      maxLength: 253,
    }),
    replicas,
    annotations: annotationMap('the Deployment, StatefulSet, Job or CronJob'),
    labels: labelMap('all objects and pods'),
    deployment: deploymentSchema,
    statefulset: statefulSetSchema,
    job: jobSchema,
    cronjob: cronJobSchema,
    schedules: map(scheduleSchema, 'CronJobs by name, for the profile `default-cronjob`.'),
  },
  'What the pods run and how they are reached.',
)
export type Module = Static<typeof moduleSchema>

/** When a deployment counts a workload as deployed. */
export const deploySuccess = ['deploy', 'available', 'complete'] as const

/** The field `deploy` of a module. */
export const deploySchema = object(
  {},
  {
    success: oneOf(
      deploySuccess,
      '`deploy`: the objects are applied; `available` or `complete`: the rollout is complete.',
    ),
    when: oneOf(
      ['before', 'deploy', 'after'],
      '`before`: the other workloads wait for this one; `after`: this one waits for the others.',
    ),
    timeout: integer('Seconds without progress after which the rollout of a Deployment or Job fails.', {
      minimum: 1,
    }),
  },
  'How a deployment waits for the workload.',
)
export type Deploy = Static<typeof deploySchema>
