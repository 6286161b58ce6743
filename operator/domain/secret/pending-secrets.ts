import { annotations } from '../../api/names.ts'

/** A change is over within this time, one way or the other. */
const changeWithinMs = 600_000

type Annotations = Readonly<Record<string, string>>

/** Key of the annotation that announces a Secret: changes of one object at the same time do not disturb each other. */
export function pendingSecretKey(secretName: string): string {
  return `${annotations.newSecret}-${secretName.slice(-8)}`
}

/** The annotation on an object that says that a Secret is made for a change of it, which will name it. */
export function pendingSecretAnnotation(secretName: string, now: number): Annotations {
  return { [pendingSecretKey(secretName)]: `${new Date(now).toISOString()}/${secretName}` }
}

/** An announcement that an object carries. */
interface PendingSecret {
  readonly key: string
  readonly secretName: string
  /** Whether the change is over, one way or the other. */
  readonly isExpired: boolean
}

/** The announcements among the annotations of an object. */
export function pendingSecretsIn(marks: Annotations = {}, now: number): PendingSecret[] {
  return Object.entries(marks)
    .filter(([key]) => key.startsWith(`${annotations.newSecret}-`))
    .map(([key, value]) => {
      const [time = '', secretName = ''] = value.split('/')
      // An unreadable time counts as expired.
      return { key, secretName, isExpired: !(now - Date.parse(time) < changeWithinMs) }
    })
}
