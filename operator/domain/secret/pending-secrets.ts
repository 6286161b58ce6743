import { annotations } from '../../api/names.ts'
import type { Registry } from '../../api/registry.ts'
import type { ResourceAccount } from '../../api/resource-account.ts'
import type { ResourceDefinition } from '../../api/resource-definition.ts'
import type { SharedValue } from '../../api/shared-value.ts'
import type { Webhook } from '../../api/webhook.ts'

/** Kinds whose objects own Secrets that users give over REST. */
export type SecretOwnerKind =
  | typeof Registry
  | typeof ResourceAccount
  | typeof ResourceDefinition
  | typeof SharedValue
  | typeof Webhook

/** An announcement of this age is of a change that is over: no two clocks differ by so much. */
const outdatedMs = 86_400_000

type Annotations = Readonly<Record<string, string>>

/** Key of the annotation for a Secret. Keys differ, so that concurrent changes of one object do not conflict. */
export function pendingSecretKey(secretName: string): string {
  return `${annotations.newSecret}-${secretName.slice(-8)}`
}

/** The annotation that marks a Secret as created for a change in progress, whose result will name it. */
export function pendingSecretAnnotation(secretName: string, now: number): Annotations {
  return { [pendingSecretKey(secretName)]: `${new Date(now).toISOString()}/${secretName}` }
}

/** Marks a Secret that an object names and no status records: it is unused once the object does not name it. */
export function formerSecretAnnotation(secretName: string): Annotations {
  return pendingSecretAnnotation(secretName, 0)
}

/** Whether this marks a former Secret, and no change in progress. */
export function isFormer({ time }: PendingSecret): boolean {
  return Date.parse(time) === 0
}

/** A Secret that a change in progress will name. */
export interface PendingSecret {
  readonly key: string
  readonly secretName: string
  /** The time of the announcement, by the clock of the API server as its writer knew it. */
  readonly time: string
}

/** The pending Secrets in the annotations of an object. */
export function pendingSecretsIn(marks: Annotations = {}): PendingSecret[] {
  return Object.entries(marks)
    .filter(([key]) => key.startsWith(`${annotations.newSecret}-`))
    .map(([key, value]) => {
      const [time = '', secretName = ''] = value.split('/')
      return { key, secretName, time }
    })
}

/** Whether the change of a pending Secret was over long ago. */
export function isOutdated({ time }: PendingSecret, now: number): boolean {
  // An unreadable time counts as outdated.
  return !(now - Date.parse(time) < outdatedMs)
}
