import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { eventually, type Organization, readyOf } from './client.ts'

/** The resource of a type in an environment of the application `shop`. */
export async function resourceIn(
  organization: Organization,
  environment: string,
  type: string,
): Promise<ActiveResource> {
  const all = await organization.resources()
  const found = all.find(({ spec }) => spec.type === type && spec.environmentName === `shop.${environment}`)
  if (!found) throw new Error(`no resource of type '${type}' in '${environment}'`)
  return found
}

/** Waits until `Ready` of a resource has the reason; answers its message. */
export function readinessIn(
  organization: Organization,
  environment: string,
  type: string,
  reason: string,
  withinMs = 30_000,
): Promise<string> {
  return eventually(`'${reason}' in '${environment}'`, withinMs, async () => {
    const ready = readyOf(await resourceIn(organization, environment, type))
    if (ready.reason !== reason) throw new Error(`it is '${ready.reason}': ${ready.message}`)
    return ready.message
  })
}

/** The namespace that holds the objects of an environment of the application `shop`. */
export function namespaceOf({ id }: Organization, environment: string): string {
  return `${id}--shop--${environment}`
}

/** An object by its path, undefined when it is missing. */
export async function objectAt<T = KubeObject>(
  organization: Organization,
  path: string,
): Promise<T | undefined> {
  const { status, body } = await organization.kube<T>('GET', path)
  if (status !== 200 && status !== 404) throw new Error(`'${path}' was answered with ${status}`)
  return status === 200 ? body : undefined
}

/** Waits until nothing is at these paths any more. */
export async function gone(
  organization: Organization,
  paths: readonly string[],
  withinMs = 30_000,
): Promise<void> {
  for (const path of paths) {
    await eventually(`the end of '${path}'`, withinMs, async () =>
      (await objectAt(organization, path)) ? undefined : true,
    )
  }
}

/** The content of a Secret, in plain text. */
export async function secretAt(
  organization: Organization,
  path: string,
): Promise<Record<string, string> | undefined> {
  const secret = await objectAt<{ data?: Record<string, string> }>(organization, path)
  const members = Object.entries(secret?.data ?? {})
  return (
    secret &&
    Object.fromEntries(members.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]))
  )
}

/** A merge patch by the cluster administrator. */
export function patch(organization: Organization, path: string, body: object) {
  return organization.kube('PATCH', path, body, 'application/merge-patch+json')
}

/** Deletes an environment of the application `shop` and waits for its end. */
export async function endEnvironment(organization: Organization, environment: string): Promise<void> {
  await organization.remove('environments', `shop.${environment}`)
  await untilEnded(organization, environment)
}

/** Waits for the end of an environment that is being deleted. */
export async function untilEnded(organization: Organization, environment: string): Promise<void> {
  await eventually(`the end of '${environment}'`, 30_000, async () =>
    (await organization.get('environments', `shop.${environment}`)) ? undefined : true,
  )
}
