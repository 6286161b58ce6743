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

/** A change completes or fails within this time. */
const changeWithinMs = 600_000

type Annotations = Readonly<Record<string, string>>

/** Key of the annotation for a Secret. Keys differ, so that concurrent changes of one object do not conflict. */
export function pendingSecretKey(secretName: string): string {
  return `${annotations.newSecret}-${secretName.slice(-8)}`
}

/** The annotation that marks a Secret as created for a change in progress, whose result will name it. */
export function pendingSecretAnnotation(secretName: string, now: number): Annotations {
  return { [pendingSecretKey(secretName)]: `${new Date(now).toISOString()}/${secretName}` }
}

/** A Secret that a change in progress will name. */
interface PendingSecret {
  readonly key: string
  readonly secretName: string
  /** Whether the change must have completed or failed by now. */
  readonly isExpired: boolean
}

/** The pending Secrets in the annotations of an object. */
export function pendingSecretsIn(marks: Annotations = {}, now: number): PendingSecret[] {
  return Object.entries(marks)
    .filter(([key]) => key.startsWith(`${annotations.newSecret}-`))
    .map(([key, value]) => {
      const [time = '', secretName = ''] = value.split('/')
      // An unreadable time counts as expired.
      return { key, secretName, isExpired: !(now - Date.parse(time) < changeWithinMs) }
    })
}
