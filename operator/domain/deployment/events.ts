import { createHash } from 'node:crypto'
import type { Environment } from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import type { ObjectMeta } from '../../api/kind.ts'
import { annotations } from '../../api/names.ts'
import type { Trigger } from '../../api/webhook.ts'
import { parseEnvironmentObjectName } from '../resource/identity.ts'
import { isFinished, setNameOf, stateOfDeployment } from './deployment.ts'
import { isRepetition } from './deployment-history.ts'

/** Something that happened, as webhooks are told of it. */
export interface WebhookEvent extends Trigger {
  /** Always the same for the same thing that happened. */
  readonly id: string
  readonly applicationName: string
  /** RFC 3339 with fractional seconds, UTC. */
  readonly at: string
  readonly variables: Readonly<Record<string, string>>
}

/** An event that webhooks can be told of, and the names of its variables. */
export interface EventType extends Trigger {
  readonly properties: readonly string[]
}

const commonVariables = ['event', 'triggered_at', 'triggered_by', 'org_id', 'app_id', 'env_id'] as const
const environmentVariables = [...commonVariables, 'name', 'type']
const deploymentVariables = [...commonVariables, 'deploy_id', 'delta_id', 'set_id', 'comment', 'status']

/** All events, as the specification lists them. */
export const eventTypes: readonly EventType[] = [
  { scope: 'environment', type: 'created', properties: environmentVariables },
  { scope: 'environment', type: 'deleted', properties: environmentVariables },
  { scope: 'deployment', type: 'started', properties: deploymentVariables },
  { scope: 'deployment', type: 'finished', properties: deploymentVariables },
]

/** Body of a call for a webhook that has no payload of its own. */
export const defaultPayload: Readonly<Record<string, string>> = Object.fromEntries(
  commonVariables.map((name) => [name, `$\u007b${name}}`]),
)

/** Who it was when nobody knows: a deletion, or a cluster that does not stamp objects. */
const unknownUser = 'kubernetes'
const longestUser = 1024

/** What has happened to an environment so far. */
export function environmentEvents({ metadata, spec }: Environment): WebhookEvent[] {
  const { applicationId, environmentId } = parseEnvironmentObjectName(metadata.name)
  const own = { name: spec.displayName ?? environmentId, type: spec.typeName }
  const { createdBy, triggeredBy, deletedBy } = annotations
  const occurrence = (type: 'created' | 'deleted', time: string, by: readonly string[]) =>
    occur({ scope: 'environment', type }, { metadata, applicationId, environmentId, time, by, own })
  const { creationTimestamp = '', deletionTimestamp } = metadata
  return [
    occurrence('created', creationTimestamp, [triggeredBy, createdBy]),
    ...(deletionTimestamp ? [occurrence('deleted', deletionTimestamp, [deletedBy])] : []),
  ]
}

/** What has happened to a deployment so far; one that never began to provision starts when it ends. */
export function deploymentEvents(deployment: EnvironmentDeployment): WebhookEvent[] {
  const { metadata, spec, status } = deployment
  // The schema lets any name through; one like that belongs to no application.
  if (!/^[^.]+\.[^.]+$/.test(spec.environmentName)) return []
  // Webhooks heard of it when it ran.
  if (isRepetition(deployment)) return []
  const { applicationId, environmentId } = parseEnvironmentObjectName(spec.environmentName)
  const finishTime = isFinished(deployment) ? status?.finishTime : undefined
  const startTime = status?.startTime ?? finishTime
  const { createdBy, triggeredBy } = annotations
  const occurrence = (type: 'started' | 'finished', time: string, state: string) => {
    const own = {
      deploy_id: metadata.name,
      delta_id: spec.deltaName ?? '',
      set_id: setIdOf(setNameOf(deployment), applicationId),
      comment: spec.comment ?? '',
      status: state,
    }
    const by = [triggeredBy, createdBy]
    return occur({ scope: 'deployment', type }, { metadata, applicationId, environmentId, time, by, own })
  }
  return [
    ...(startTime ? [occurrence('started', startTime, 'in progress')] : []),
    ...(finishTime ? [occurrence('finished', finishTime, stateOfDeployment(deployment))] : []),
  ]
}

function occur(
  trigger: Trigger,
  about: {
    readonly metadata: ObjectMeta
    readonly applicationId: string
    readonly environmentId: string
    readonly time: string
    /** Annotations that may say who it was, the first of them that is there. */
    readonly by: readonly string[]
    readonly own: Readonly<Record<string, string>>
  },
): WebhookEvent {
  const { metadata, applicationId, environmentId, time, by, own } = about
  const event = `${trigger.scope}.${trigger.type}`
  const at = new Date(time).toISOString()
  const users = by.map((name) => metadata.annotations?.[name] ?? '')
  const user = users.find((each) => each !== '' && each.length <= longestUser) ?? unknownUser
  return {
    ...trigger,
    id: createHash('sha256')
      .update([event, metadata.namespace ?? '', metadata.uid ?? ''].join('\0'))
      .digest('hex')
      .slice(0, 32),
    applicationName: applicationId,
    at,
    variables: {
      event,
      triggered_at: at,
      triggered_by: user,
      org_id: metadata.namespace ?? '',
      app_id: applicationId,
      env_id: environmentId,
      ...own,
    },
  }
}

/** Objects of sets are named `<application>.<id>`; REST knows them by the id. */
function setIdOf(setName: string | undefined, applicationId: string): string {
  const prefix = `${applicationId}.`
  return setName?.startsWith(prefix) ? setName.slice(prefix.length) : (setName ?? '')
}
