import type { ActiveResource, ProvisionedInstance } from '../../api/active-resource.ts'
import type { FreeForm } from '../../api/schema.ts'
import { sameJson } from '../../domain/base/json.ts'
import { driverName } from '../../domain/definition/definition.ts'
import type { Observed } from '../../kube/loop/status.ts'
import type { ResourceTools } from './active-resource.ts'
import { cookieSecretName } from './cookies.ts'
import type { FoundDriver } from './organization-drivers.ts'
import { accountSecretOf } from './provision-request.ts'

type Seen = Observed<typeof ActiveResource>

/** Status fields of a resource without those that the loop writes. */
export function factsOf({ status }: ActiveResource): Seen {
  const {
    conditions: _,
    observedGeneration: __,
    attempts: ___,
    nextAttemptTime: ____,
    ...facts
  } = status ?? {}
  return facts
}

/** What is about to stand, what may stand besides, and whether that is more than the status remembers. */
export function provisionedInstancesOf(
  resource: ActiveResource,
  { identity }: { readonly identity?: FreeForm },
  { driver: { descriptor }, recordedAs }: FoundDriver,
  tools: ResourceTools,
): {
  readonly standing: ProvisionedInstance
  readonly predecessors: readonly ProvisionedInstance[]
  readonly isNews: boolean
} {
  const { accountName } = resource.spec.definition
  const credentialsSecretName = accountSecretOf(resource, tools.cluster)
  const standing: ProvisionedInstance = {
    ...recordedAs,
    ...(accountName ? { accountName } : {}),
    ...(credentialsSecretName ? { credentialsSecretName } : {}),
    ...(identity ? { identity } : {}),
  }
  const { provisioned, predecessors = [] } = resource.status ?? {}
  const others = [...predecessors, ...(provisioned ? [provisioned] : [])].filter(
    (each) => !isSameStanding(each, standing, tools),
  )
  const isRecorded = provisioned !== undefined && !others.includes(provisioned)
  const leavesTraces = descriptor.remote === true || descriptor.keepsCookie === true
  return { standing, predecessors: others, isNews: provisioned ? !isRecorded : leavesTraces }
}

/** Without the hash: whatever is wanted next, it is not what stands now. */
export function remembered(
  { inputsHash: _, predecessors: __, secretNames: ___, ...facts }: Seen,
  standing: ProvisionedInstance,
  predecessors: readonly ProvisionedInstance[],
  secretNames: readonly string[],
): Seen {
  return {
    ...facts,
    provisioned: standing,
    ...(secretNames.length > 0 ? { secretNames: [...secretNames] } : {}),
    ...(predecessors.length > 0 ? { predecessors: [...predecessors] } : {}),
  }
}

/** Whether two descriptions speak of the same thing: a change of account or address alone makes no other. */
function isSameStanding(
  left: ProvisionedInstance,
  right: ProvisionedInstance,
  { vendors }: Pick<ResourceTools, 'vendors'>,
): boolean {
  const isSameDriver = driverName(left.driverType, vendors) === driverName(right.driverType, vendors)
  return isSameDriver && sameJson(left.identity ?? {}, right.identity ?? {})
}

/** The Secrets that are needed to take away what stands: the credentials it was made with, and its driver's cookie. */
export function secretsOf(
  { metadata, status }: ActiveResource,
  standing: ProvisionedInstance,
  { vendors }: Pick<ResourceTools, 'vendors'>,
): string[] {
  const { credentialsSecretName, driverType } = standing
  const cookieName = cookieSecretName(metadata.name, driverName(driverType, vendors), standing)
  return [
    ...(credentialsSecretName === undefined ? [] : [credentialsSecretName]),
    ...(status?.secretNames?.includes(cookieName) ? [cookieName] : []),
  ]
}
