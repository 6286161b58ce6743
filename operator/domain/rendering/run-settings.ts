import type { Environment } from '../../api/environment.ts'
import type { KubeObject } from '../../api/kind.ts'
import { group } from '../../api/names.ts'
import type { FreeForm } from '../../api/schema.ts'
import { isObject, ownValue } from '../base/json.ts'

/** What an environment says about the pods of one of its workloads. */
export interface RunSettings {
  /** Whether the pods are stopped. */
  readonly paused?: true
  /** Number of pods, in place of that of the module. */
  readonly replicas?: number
  /** A change replaces the pods. RFC 3339. */
  readonly restartTime?: string
}

/** On pod templates: the time of the last restart. */
export const restartAnnotation = `${group}/restart-time`

/** What the environment says about the workload; undefined when it says nothing. */
export function runSettingsOf(
  environment: Pick<Environment, 'spec'> | undefined,
  workload: string,
): RunSettings | undefined {
  const { paused, replicas = {}, restartTimes = {} } = environment?.spec ?? {}
  const settings: RunSettings = {
    paused: paused || undefined,
    replicas: ownValue(replicas, workload),
    restartTime: ownValue(restartTimes, workload),
  }
  return Object.values(settings).every((each) => each === undefined) ? undefined : settings
}

/** Whether objects of the kind run pods, so that an environment can say something about them. */
export function hasRunSettings({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return Object.hasOwn(changes, `${apiVersion} ${kind}`)
}

/** The objects of a workload as its environment wants them to run. Those without pods stay as they are. */
export function withRunSettings(
  objects: readonly KubeObject[],
  settings: RunSettings | undefined,
): readonly KubeObject[] {
  if (!settings) return objects
  return objects.map((each) => ownValue(changes, `${each.apiVersion} ${each.kind}`)?.(each, settings) ?? each)
}

type Change = (object: KubeObject, settings: RunSettings) => KubeObject

const changes: Readonly<Record<string, Change>> = {
  'apps/v1 Deployment': withReplicas,
  'apps/v1 StatefulSet': withReplicas,
  'batch/v1 CronJob': withSuspension,
  'batch/v1 Job': withSuspension,
}

function withReplicas(object: KubeObject, { paused, replicas, restartTime }: RunSettings): KubeObject {
  const spec = fieldsOf(object.spec)
  const number = paused ? 0 : replicas
  return {
    ...object,
    spec: {
      ...spec,
      ...(number === undefined ? {} : { replicas: number }),
      ...(restartTime === undefined ? {} : { template: withRestart(spec.template, restartTime) }),
    },
  }
}

function withRestart(template: unknown, time: string): FreeForm {
  const { metadata, ...rest } = fieldsOf(template)
  const { annotations, ...others } = fieldsOf(metadata)
  return {
    ...rest,
    metadata: { ...others, annotations: { ...fieldsOf(annotations), [restartAnnotation]: time } },
  }
}

/** The pod template of a Job cannot change, so a restart does not apply to it; nor does a number of pods. */
function withSuspension(object: KubeObject, { paused }: RunSettings): KubeObject {
  return paused ? { ...object, spec: { ...fieldsOf(object.spec), suspend: true } } : object
}

function fieldsOf(value: unknown): FreeForm {
  return isObject(value) ? value : {}
}
