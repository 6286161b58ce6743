import { hash } from 'node:crypto'
import type { Environment } from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import type { Kind, ObjectOf } from '../../api/kind.ts'
import { annotations } from '../../api/names.ts'
import type { Trigger } from '../../api/webhook.ts'
import { parseEnvironmentObjectName } from '../resource/identity.ts'
import { isFinished, setNameOf, stateOfDeployment } from './deployment.ts'
import { isRepetition } from './deployment-history.ts'

/** An event that webhooks receive. */
export interface WebhookEvent extends Trigger {
  /** Equal for all deliveries of the same event. */
  readonly id: string
  readonly applicationName: string
  /** RFC 3339 with fractional seconds, UTC. */
  readonly at: string
  readonly variables: Readonly<Record<string, string>>
}

/** A type of event, and the names of its variables. */
export interface EventType extends Trigger {
  readonly properties: readonly string[]
}

const commonVariables = ['event', 'triggered_at', 'triggered_by', 'org_id', 'app_id', 'env_id'] as const
const environmentVariables = [...commonVariables, 'name', 'type']
const deploymentVariables = [...commonVariables, 'deploy_id', 'delta_id', 'set_id', 'comment', 'status']

/** All types of events of the specification. */
export const eventTypes: readonly EventType[] = [
  { scope: 'environment', type: 'created', properties: environmentVariables },
  { scope: 'environment', type: 'deleted', properties: environmentVariables },
  { scope: 'deployment', type: 'started', properties: deploymentVariables },
  { scope: 'deployment', type: 'finished', properties: deploymentVariables },
]

/** Body of a call for a webhook without a payload. */
export const defaultPayload: Readonly<Record<string, string>> = Object.fromEntries(
  commonVariables.map((name) => [name, `$\u007b${name}}`]),
)

/** The user when unknown: for deletions, and in clusters without the admission policy. */
const unknownUser = 'kubernetes'
const longestUser = 1024

/** The events of an environment so far. */
export function environmentEvents({ metadata, spec }: Environment): WebhookEvent[] {
  const { applicationId, environmentId } = parseEnvironmentObjectName(metadata.name)
  const own = { name: spec.displayName ?? environmentId, type: spec.typeName }
  const { createdBy, triggeredBy, deletedBy } = annotations
  const event = (type: 'created' | 'deleted', time: string, by: readonly string[]) =>
    createEvent({ scope: 'environment', type }, { metadata, applicationId, environmentId, time, by, own })
  const { creationTimestamp, deletionTimestamp } = metadata
  return [
    event('created', creationTimestamp, [triggeredBy, createdBy]),
    ...(deletionTimestamp ? [event('deleted', deletionTimestamp, [deletedBy])] : []),
  ]
}

/** The events of a deployment so far. For a deployment that failed before it started, both have the finish time. */
export function deploymentEvents(deployment: EnvironmentDeployment): WebhookEvent[] {
  const { metadata, spec, status } = deployment
  // The schema allows any name. A malformed one belongs to no application.
  if (!/^[^.]+\.[^.]+$/.test(spec.environmentName)) return []
  // Webhooks received the events of the original run.
  if (isRepetition(deployment)) return []
  const { applicationId, environmentId } = parseEnvironmentObjectName(spec.environmentName)
  const finishTime = isFinished(deployment) ? status?.finishTime : undefined
  const startTime = status?.startTime ?? finishTime
  const { createdBy, triggeredBy } = annotations
  const event = (type: 'started' | 'finished', time: string, state: string) => {
    const own = {
      deploy_id: metadata.name,
      delta_id: spec.deltaName ?? '',
      set_id: setIdOf(setNameOf(deployment), applicationId),
      comment: spec.comment ?? '',
      status: state,
    }
    const by = [triggeredBy, createdBy]
    return createEvent(
      { scope: 'deployment', type },
      { metadata, applicationId, environmentId, time, by, own },
    )
  }
  return [
    ...(startTime ? [event('started', startTime, 'in progress')] : []),
    ...(finishTime ? [event('finished', finishTime, stateOfDeployment(deployment))] : []),
  ]
}

function createEvent(
  trigger: Trigger,
  about: {
    readonly metadata: ObjectOf<Kind>['metadata']
    readonly applicationId: string
    readonly environmentId: string
    readonly time: string
    /** Annotations that name the user, in order of precedence. */
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
    id: hash('sha256', [event, metadata.namespace, metadata.uid].join('\0')).slice(0, 32),
    applicationName: applicationId,
    at,
    variables: {
      event,
      triggered_at: at,
      triggered_by: user,
      org_id: metadata.namespace,
      app_id: applicationId,
      env_id: environmentId,
      ...own,
    },
  }
}

/** The id of a set in the REST API, from its object name `<application>.<id>`. */
function setIdOf(setName: string | undefined, applicationId: string): string {
  const prefix = `${applicationId}.`
  return setName?.startsWith(prefix) ? setName.slice(prefix.length) : (setName ?? '')
}
