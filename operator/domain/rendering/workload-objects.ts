import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../base/json.ts'
import { selectorLabels, standardLabels } from '../module/labels.ts'
import type { ReadModule } from '../module/module-problems.ts'
import { objectNames } from '../module/names.ts'
import { listOf, sortedEntries } from './container.ts'
import { type PodInput, podTemplate, type Variant } from './pod.ts'

/** The template with an annotation for the content of the ConfigMap and the Secret that its pods use. */
export type Finish = (template: ReturnType<typeof podTemplate>) => FreeForm

/** What an object that runs pods is rendered from. */
export interface WorkloadInput extends PodInput, Pick<ReadModule, 'deploy'> {
  readonly finish: Finish
}

interface Head {
  readonly name: string
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
}

/** Renders the objects that run the pods, by kind. */
export const workloadObjects: Readonly<Record<ReadModule['kind'], (input: WorkloadInput) => KubeObject[]>> = {
  Deployment: (input) => [deployment(input)],
  StatefulSet: (input) => [statefulSet(input)],
  Job: (input) => [job(input)],
  CronJob: (input) =>
    sortedEntries(input.module.schedules).map(([name, { schedule, containers }]) =>
      cronJob(input, { name, containers }, schedule),
    ),
}

function deployment(input: WorkloadInput): KubeObject {
  const { workload, module, deploy } = input
  const {
    annotations,
    labels,
    replicas = module.replicas,
    progressDeadlineSeconds = deploy.timeout,
    strategy,
    ...rest
  } = module.deployment ?? {}
  return objectOf(
    'apps/v1',
    'Deployment',
    input,
    { name: workload.id, annotations, labels },
    {
      ...rest,
      replicas,
      progressDeadlineSeconds,
      strategy: completeStrategy(strategy, deploymentParameters),
      selector: { matchLabels: selectorLabels(workload) },
      template: input.finish(podTemplate(input)),
    },
  )
}

function statefulSet(input: WorkloadInput): KubeObject {
  const { workload, module } = input
  const {
    annotations,
    labels,
    replicas = module.replicas,
    volume_claims: claims,
    updateStrategy,
    ...rest
  } = module.statefulset ?? {}
  return objectOf(
    'apps/v1',
    'StatefulSet',
    input,
    { name: workload.id, annotations, labels },
    {
      ...rest,
      replicas,
      serviceName: workload.id,
      updateStrategy: completeStrategy(updateStrategy, setParameters),
      selector: { matchLabels: selectorLabels(workload) },
      template: input.finish(podTemplate(input)),
      volumeClaimTemplates: listOf(
        sortedEntries(claims).map(
          ([name, { storage, storage_class: storageClassName, access_modes: accessModes }]) => ({
            metadata: { name },
            spec: {
              accessModes: accessModes ?? ['ReadWriteOnce'],
              storageClassName,
              resources: { requests: { storage } },
            },
          }),
        ),
      ),
    },
  )
}

/** The parameters that the cluster sets when a strategy has none. */
const deploymentParameters = { maxSurge: '25%', maxUnavailable: '25%' }
const setParameters = { partition: 0 }

/**
 * The strategy with all of its parameters. Server-side apply removes only fields that were applied, and the cluster refuses
 * parameters beside a later strategy without rolling updates.
 */
function completeStrategy(strategy: unknown, parameters: FreeForm): unknown {
  const given = strategy ?? {}
  if (!isObject(given)) return given
  const { type = 'RollingUpdate', rollingUpdate = {} } = given
  if (type !== 'RollingUpdate' || !isObject(rollingUpdate)) return given
  return { ...given, type, rollingUpdate: { ...parameters, ...rollingUpdate } }
}

/** A Job cannot be changed: a change makes another one, which replaces it. */
function job(input: WorkloadInput): KubeObject {
  const { workload, module, deploy } = input
  const spec = jobSpec(input, undefined, deploy.timeout)
  const { annotations, labels } = module.job ?? {}
  return objectOf(
    'batch/v1',
    'Job',
    input,
    { name: objectNames.job(workload.id, spec), annotations, labels },
    spec,
  )
}

function cronJob(input: WorkloadInput, variant: Variant, schedule: string): KubeObject {
  const { workload, module } = input
  const { annotations, labels, ...rest } = module.cronjob ?? {}
  const { ttlSecondsAfterFinished } = module.job ?? {}
  const name = objectNames.cronJob(workload.id, variant.name)
  return objectOf(
    'batch/v1',
    'CronJob',
    input,
    { name, annotations, labels },
    {
      ...rest,
      schedule,
      jobTemplate: {
        metadata: {
          labels: { ...module.labels, ...module.job?.labels, ...standardLabels(workload) },
          annotations: module.job?.annotations,
        },
        spec: { ...jobSpec(input, variant, undefined), ttlSecondsAfterFinished },
      },
    },
  )
}

function jobSpec(input: WorkloadInput, variant: Variant | undefined, deadline: number | undefined): FreeForm {
  const {
    annotations: _,
    labels: __,
    restartPolicy = 'Never',
    ttlSecondsAfterFinished: ___,
    activeDeadlineSeconds = deadline,
    ...rest
  } = input.module.job ?? {}
  const template = podTemplate(input, variant)
  return {
    ...rest,
    activeDeadlineSeconds,
    template: input.finish({ ...template, spec: { ...template.spec, restartPolicy } }),
  }
}

function objectOf(
  apiVersion: string,
  kind: string,
  { workload, module }: PodInput,
  { name, annotations, labels }: Head,
  spec: FreeForm,
): KubeObject {
  const metadata = {
    name,
    labels: { ...module.labels, ...labels, ...standardLabels(workload) },
    annotations: { ...module.annotations, ...annotations },
  }
  return { apiVersion, kind, metadata, spec }
}
