import type { ActiveResource } from '../../api/active-resource.ts'
import { secretsIn } from '../../domain/image/pull-secret.ts'
import { secretTextsOf } from '../../domain/module/secret-text.ts'
import type { ResourceTypeInfo } from '../../domain/resource/type-info.ts'
import type { ReconcileContext } from '../../kube/loop/controller.ts'
import { type AnswerHold, createAnswerHold } from '../../outbound/answer-hold.ts'
import { withReason } from './driver-call.ts'
import type { PendingInstances } from './instances/pending-instances.ts'
import type { FoundDriver } from './organization-drivers.ts'
import type { GatheredRequest } from './provision-request.ts'
import type { ResourceTools } from './resource-tools.ts'

/** What is provisioned: its type if that is a custom one, the request of the driver, its hash, and the driver. */
export interface ProvisionInputs {
  readonly type: ResourceTypeInfo | undefined
  /** Whether this repairs what an earlier deployment provisioned: the type has other schemas since, which the next one checks. */
  readonly isRepair: boolean
  readonly request: GatheredRequest
  readonly inputsHash: string
  readonly found: FoundDriver
}

export interface ProvisionTools extends ResourceTools {
  readonly pending: PendingInstances
  /** Uids of resources that existed while this process led: no former process can have ended them. */
  readonly seen: Set<string>
}

/** One provision of one resource. */
export interface Run extends ProvisionInputs {
  readonly resource: ActiveResource
  readonly tools: ProvisionTools
  readonly context: ReconcileContext<typeof ActiveResource>
  /** What is being done, for messages. */
  readonly action: string
  /** Aborts when the deadline of the driver has passed. */
  readonly signal: AbortSignal
  /** The answer of the driver, which may be large. */
  readonly hold: AnswerHold
  /** Runs a step: its errors get a reason, and lose the secrets of the request. */
  readonly attempt: <T>(work: () => Promise<T>) => Promise<T>
}

/** Starts the deadline of a provision. */
export function startRun(
  resource: ActiveResource,
  inputs: ProvisionInputs,
  tools: ProvisionTools,
  context: ReconcileContext<typeof ActiveResource>,
): Run {
  const { request } = inputs
  const action = `provisioning with '${resource.spec.definition.driverType}'`
  const pullSecrets = request.pullCredentials?.map(secretsIn)
  const secrets = [request.secrets, request.account, pullSecrets, secretTextsOf(request)]
  const signal = AbortSignal.timeout(tools.deadlineSeconds * 1000)
  return {
    ...inputs,
    resource,
    tools,
    context,
    action,
    signal,
    hold: createAnswerHold(signal),
    attempt: (work) => withReason('ProvisionFailed', action, secrets, work),
  }
}

/** A copy of the items; undefined, so that the status has no field for them, when there are none. */
export function unlessEmpty<T>(items: readonly T[]): T[] | undefined {
  return items.length > 0 ? [...items] : undefined
}
