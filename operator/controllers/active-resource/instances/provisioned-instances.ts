import {
  type ActiveResource,
  mostPredecessors,
  type ProvisionedInstance,
} from '../../../api/active-resource.ts'
import type { FreeForm } from '../../../api/schema.ts'
import { Stalled } from '../../../domain/base/errors.ts'
import { sameJson } from '../../../domain/base/json.ts'
import { areSameDriver } from '../../../domain/definition/definition.ts'
import type { Cookie, ProvisionRequest } from '../../../drivers/driver.ts'
import { isNamespaceTerminating } from '../../../kube/client/api-error.ts'
import { accountSecretOf } from '../provision-request.ts'
import type { ProvisionInputs } from '../provision-run.ts'
import type { ResourceStatus, ResourceTools } from '../resource-tools.ts'
import { existingCookie, recordedCookieName } from './cookies.ts'
import { recordedInstances } from './recorded-instances.ts'

/** The instance that a driver call makes or updates, and the earlier instances that it replaces. */
export interface Instances {
  readonly current: ProvisionedInstance
  readonly predecessors: readonly ProvisionedInstance[]
  /** Whether the driver makes something that the cluster does not delete. */
  readonly isOutsideCluster: boolean
  /** Whether the status must record the current instance, without a hash, before the driver is called. */
  readonly isRecordNeeded: boolean
}

/** Compares the instance that a call makes or updates with those that the status records. Throws Stalled if it cannot record another one. */
export function instancesOf(
  resource: ActiveResource,
  {
    identity,
    request,
    secretNames,
  }: {
    readonly identity?: FreeForm
    readonly request: ProvisionRequest
    readonly secretNames: readonly string[]
  },
  { inputsHash, found }: Pick<ProvisionInputs, 'inputsHash' | 'found'>,
  tools: ResourceTools,
): Instances {
  const { driver, recordedAs } = found
  const { accountName } = resource.spec.definition
  const credentialsSecretName = accountSecretOf(resource, tools.cluster)
  const current: ProvisionedInstance = { ...recordedAs, accountName, credentialsSecretName, identity }
  const { provisioned, secretNames: known = [] } = resource.status ?? {}
  const others = recordedInstances(resource).filter((each) => !isSameInstance(each, current, tools))
  // One that is not recorded would never be deprovisioned.
  if (others.length > mostPredecessors)
    throw new Stalled(
      'TooManyInstances',
      `the status records ${mostPredecessors} earlier instances that are not deprovisioned, and has no room for another one`,
    )
  const isRecorded = provisioned !== undefined && !others.includes(provisioned)
  const isOutsideCluster = driver.descriptor.remote === true || request.cookie !== undefined
  const isNew = provisioned === undefined || hasOtherInputs(resource.status ?? {}, inputsHash)
  const isSecretNew = secretNames.some((name) => !known.includes(name))
  return {
    current,
    predecessors: others,
    isOutsideCluster,
    isRecordNeeded:
      (provisioned !== undefined && !isRecorded) || (isOutsideCluster && (isNew || isSecretNew)),
  }
}

/** Whether the hash of a status describes other inputs than these: those that it must not describe after a crash. */
export function hasOtherInputs({ inputsHash }: ResourceStatus, wantedHash: string): boolean {
  return inputsHash !== undefined && inputsHash !== wantedHash
}

/**
 * Whether two records describe the same instance; a change of account or address keeps the instance. The plan predicts this
 * with `replaceOnChangeOf` of the driver.
 */
function isSameInstance(
  left: ProvisionedInstance,
  right: ProvisionedInstance,
  { vendors }: Pick<ResourceTools, 'vendors'>,
): boolean {
  const isSameDriver = areSameDriver(left.driverType, right.driverType, vendors)
  return isSameDriver && sameJson(left.identity ?? {}, right.identity ?? {})
}

/** Whether a server has both instances under the same URL: a call that makes one updates the other. */
export function isAtSameAddress(
  namespace: string,
  left: ProvisionedInstance,
  right: ProvisionedInstance,
  { drivers }: Pick<ResourceTools, 'drivers'>,
): boolean {
  if (left.target === undefined || right.target === undefined) return false
  const [one, other] = [left, right].map((each) => drivers.forInstance(namespace, each).descriptor.address)
  return one === other
}

type CookieTools = Pick<ResourceTools, 'vendors' | 'cluster' | 'objects' | 'drivers'>

/** The cookies of other drivers at the address of an instance, the latest first. */
function formerCookies(
  resource: ActiveResource,
  instance: ProvisionedInstance,
  tools: CookieTools,
): Cookie[] {
  const { namespace } = resource.metadata
  return recordedInstances(resource)
    .filter((each) => each.driverType !== instance.driverType)
    .filter((each) => isAtSameAddress(namespace, each, instance, tools))
    .flatMap((each) => existingCookie(resource, each, tools) ?? [])
    .reverse()
}

/**
 * The cookie of an instance that takes over those of other drivers at the same address: it begins with what the server gave
 * last. Each of these is deleted before the call, so that none is sent when its driver comes back.
 */
export function inheritedCookie(
  resource: ActiveResource,
  instance: ProvisionedInstance,
  own: Cookie,
  tools: CookieTools,
): Cookie {
  const former = formerCookies(resource, instance, tools)
  if (former.length === 0) return own
  return {
    ...own,
    async read() {
      let known = await own.read()
      for (const each of former) {
        const text = known ?? (await each.read())
        if (known === undefined && text !== undefined) await own.write(text)
        known = text
        await each.write(undefined)
      }
      return known
    },
  }
}

/**
 * The cookie to deprovision an instance, also that of another driver at the same address. It stays in the Secret in which it
 * is, and one that has no Secret is for this call only: a terminating namespace takes no new Secret.
 */
export function lastCookie(
  resource: ActiveResource,
  instance: ProvisionedInstance,
  own: Cookie,
  tools: CookieTools,
): Cookie {
  const all = [own, ...formerCookies(resource, instance, tools)]
  let holder: Cookie | undefined
  return {
    async read() {
      for (const each of all) {
        const text = await each.read()
        if (text === undefined) continue
        holder = each
        return text
      }
      return undefined
    },
    async write(text) {
      if (text !== undefined) return holder ? holder.write(text) : own.write(text).catch(unlessTerminating)
      for (const each of all) if (each !== holder) await each.write(undefined)
      // The one in use last: after a crash, the next call needs it.
      await holder?.write(undefined)
    },
  }
}

function unlessTerminating(error: unknown): void {
  if (!isNamespaceTerminating(error)) throw error
}

/** The Secrets that are needed to deprovision an instance: its credentials, and the cookie of its driver. */
export function secretNamesOf(
  resource: ActiveResource,
  instance: ProvisionedInstance,
  tools: Pick<ResourceTools, 'vendors'>,
): string[] {
  const names = [instance.credentialsSecretName, recordedCookieName(resource, instance, tools)]
  return names.filter((name) => name !== undefined)
}
