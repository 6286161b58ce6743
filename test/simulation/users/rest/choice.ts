import type { ActiveResource } from '../../../../operator/api/active-resource.ts'
import type { RestCall, Subject } from '../../gateway/rest-client.ts'
import { applicationOf, applications, idOf, manager, restApplication } from '../names.ts'
import type { User } from '../user.ts'

/** A request that a user may send, and how often relative to the others. It throws if there is nothing that it could be about. */
export interface Choice {
  readonly weight: number
  call(user: User): RestCall
}

export const restApplications = [...applications, restApplication]

/** The manager owns the application that is made over REST now and then. */
export const senderTo = (user: User, name: string) =>
  applicationOf(name) === restApplication && user.chance(0.4) ? manager : 'admin'
export const application = (name: string): Subject => ({ kind: 'Application', name })
export const placeOf = (name: string) => `/apps/${applicationOf(name)}/envs/${idOf(name)}`
export function resourcePath({ spec }: ActiveResource): string {
  const type = spec.class === 'default' ? spec.type : `${spec.type}.${spec.class}`
  return `${placeOf(spec.environmentName)}/resources/${encodeURIComponent(type)}/${spec.resourceId}`
}
export const aboutEnvironment = (name: string): Subject[] => [
  application(applicationOf(name)),
  { kind: 'Environment', name },
]
/** A text that only this organization has. */
export const newText = (user: User) => `${user.organization}-t${user.next('text')}`

/** The creation of an object with these fields at a path, which then shows some of them. */
export function creation(
  path: string,
  body: Readonly<Record<string, unknown>>,
  shown: { readonly path: string; readonly fields: readonly string[] },
  about: readonly Subject[] = [],
): RestCall {
  const fields = Object.fromEntries(shown.fields.map((field) => [field, body[field]]))
  return { method: 'POST', path, body, about, shown: { path: shown.path, fields } }
}

/** The change of fields of the object at a path, which then shows some of them. */
export function change(
  path: string,
  body: Readonly<Record<string, unknown>>,
  shown: readonly string[],
  about: readonly Subject[],
): RestCall {
  const fields = Object.fromEntries(shown.map((field) => [field, body[field]]))
  return { method: 'PATCH', path, body, about, shown: { path, fields } }
}
