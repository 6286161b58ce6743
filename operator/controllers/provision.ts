import type { ActiveResource, Standing } from '../api/active-resource.ts'
import type { KubeObject } from '../api/kind.ts'
import { driverOf } from '../domain/definition.ts'
import { Failed, Stalled, Waiting } from '../domain/errors.ts'
import { sameJson } from '../domain/json.ts'
import { redact } from '../domain/redact.ts'
import type { DeprovisionRequest, Driver, ProvisionRequest } from '../drivers/driver.ts'
import { ApiError } from '../kube/client.ts'
import type { Observed } from '../kube/status.ts'
import type { ResourceTools } from './active-resource.ts'
import { keepSecretOutputs, sortOutputs } from './outputs.ts'
import { accountSecretOf, type GatheredRequest, readAccount } from './provision-request.ts'

type Seen = Observed<typeof ActiveResource>

/** The driver that a driver type names; Stalled when there is none. */
export function driverFor(
  type: string,
  { drivers, vendors }: Pick<ResourceTools, 'drivers' | 'vendors'>,
): Driver {
  const descriptor = driverOf(
    type,
    drivers.map((each) => each.descriptor),
    vendors,
  )
  const driver = drivers.find((each) => each.descriptor === descriptor)
  if (driver) return driver
  const known = drivers.map((each) => `'${vendors[0]}/${each.descriptor.name}'`).join(', ')
  throw new Stalled('UnknownDriver', `no driver is named '${type}'; known drivers: ${known}`)
}

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

/**
 * Brings a resource up. What stands instead is remembered before anything is made, and goes when the new one is ready,
 * so that neither a crash nor a change of mind in between leaves anything behind that nobody knows of.
 */
export async function provision(
  resource: ActiveResource,
  request: GatheredRequest,
  inputsHash: string,
  tools: ResourceTools,
  report: (observed: Seen, message: string) => Promise<void>,
): Promise<Seen> {
  const driver = driverFor(resource.spec.definition.driverType, tools)
  const signal = AbortSignal.timeout(tools.deadlineSeconds * 1000)
  const call: ProvisionRequest = { ...request, signal }
  const { standing, predecessors, isNews } = standingsOf(resource, driver, call, tools)
  const doing = `provisioning with '${standing.driverType}'`
  await tools.holds.hold(resource, request.secretNames)
  if (isNews) {
    const secretNames = [...new Set([...request.secretNames, ...predecessors.flatMap(secretOf)])].sort()
    // Without the hash: whatever is wanted next, it is not what stands now.
    const { inputsHash: _, predecessors: __, secretNames: ___, ...facts } = factsOf(resource)
    const remembered = { ...facts, provisioned: standing, ...(secretNames.length > 0 ? { secretNames } : {}) }
    const observed = predecessors.length > 0 ? { ...remembered, predecessors: [...predecessors] } : remembered
    await report(observed, doing)
  }
  const result = await step('ProvisionFailed', doing, [request.secrets, request.account], () =>
    withinDeadline(driver.provision(call), signal),
  )
  const outputs = sortOutputs(
    result,
    tools.planning.typesOf(resource.metadata.namespace ?? ''),
    resource.spec.type,
  )
  const objects = await tools.inventory.bring(
    resource,
    result.objects.map((each) => within(request.namespace, each)),
    driver.descriptor.applies ?? [],
  )
  const outputsSecretName = await keepSecretOutputs(resource, outputs.secrets, tools.objects)
  for (const each of predecessors) await deprovision(resource, each, tools, standing)
  await tools.holds.release(
    resource,
    (resource.status?.secretNames ?? []).filter((name) => !request.secretNames.includes(name)),
  )
  const { explanation } = resource.spec.definition
  return {
    outputs: outputs.values,
    ...(explanation === undefined ? {} : { explanation }),
    ...(outputsSecretName ? { outputsSecretName } : {}),
    inputsHash,
    ...(objects.length > 0 ? { objects } : {}),
    provisioned: standing,
    ...(request.secretNames.length > 0 ? { secretNames: [...request.secretNames] } : {}),
  }
}

/** What is about to stand, what may stand besides, and whether that is more than the status remembers. */
function standingsOf(
  resource: ActiveResource,
  driver: Driver,
  call: ProvisionRequest,
  tools: ResourceTools,
): { readonly standing: Standing; readonly predecessors: readonly Standing[]; readonly isNews: boolean } {
  const { driverType, accountName } = resource.spec.definition
  const identity = driver.identify?.(call)
  const credentialsSecretName = accountSecretOf(resource, tools.cluster)
  const standing: Standing = {
    driverType,
    ...(accountName ? { accountName } : {}),
    ...(credentialsSecretName ? { credentialsSecretName } : {}),
    ...(identity ? { identity } : {}),
  }
  const { provisioned, predecessors = [] } = resource.status ?? {}
  const others = [...predecessors, ...(provisioned ? [provisioned] : [])].filter(
    (each) => !isSameStanding(each, standing, tools),
  )
  const isRecorded = provisioned !== undefined && !others.includes(provisioned)
  const isNews = provisioned ? !isRecorded : driver.descriptor.remote === true
  return { standing, predecessors: others, isNews }
}

/** Takes away everything that stands for a resource, or began to; what the status says is all that is needed. */
export async function deprovisionAll(resource: ActiveResource, tools: ResourceTools): Promise<void> {
  const { provisioned, predecessors = [], secretNames = [] } = resource.status ?? {}
  const all = [...predecessors, ...(provisioned ? [provisioned] : [])]
  for (const each of all) await deprovision(resource, each, tools)
  const types = [resource.spec.definition.driverType, ...all.map(({ driverType }) => driverType)]
  const descriptors = types.map((type) =>
    driverOf(
      type,
      tools.drivers.map(({ descriptor }) => descriptor),
      tools.vendors,
    ),
  )
  await tools.inventory.clear(
    resource,
    [...new Set(descriptors)].flatMap((each) => each?.applies ?? []),
  )
  await tools.holds.release(resource, secretNames)
}

async function deprovision(
  resource: ActiveResource,
  standing: Standing,
  tools: ResourceTools,
  successor?: Standing,
): Promise<void> {
  const { context, type, class: resourceClass, resourceId } = resource.spec
  const driver = driverFor(standing.driverType, tools)
  const account = await readAccount(resource, standing, tools.cluster)
  const signal = AbortSignal.timeout(tools.deadlineSeconds * 1000)
  const isSameDriver = successor && driverFor(successor.driverType, tools) === driver
  const call: DeprovisionRequest = {
    guResId: resource.metadata.name,
    context,
    type,
    class: resourceClass,
    resourceId,
    identity: standing.identity ?? {},
    ...(account ? { account } : {}),
    ...(isSameDriver ? { successor: successor.identity ?? {} } : {}),
    signal,
  }
  await step('DeprovisionFailed', `deprovisioning with '${standing.driverType}'`, [account], () =>
    withinDeadline(driver.deprovision(call), signal),
  )
}

/** Whether two descriptions speak of the same thing: a change of account alone makes no other. */
function isSameStanding(
  left: Standing,
  right: Standing,
  tools: Pick<ResourceTools, 'drivers' | 'vendors'>,
): boolean {
  const descriptors = tools.drivers.map(({ descriptor }) => descriptor)
  const [one, other] = [left, right].map(({ driverType }) => driverOf(driverType, descriptors, tools.vendors))
  const isSameDriver = left.driverType === right.driverType || (one !== undefined && one === other)
  return isSameDriver && sameJson(left.identity ?? {}, right.identity ?? {})
}

function secretOf({ credentialsSecretName }: Standing): string[] {
  return credentialsSecretName === undefined ? [] : [credentialsSecretName]
}

/** What a driver throws gets a name, and loses any secret that it may tell. */
async function step<T>(reason: string, doing: string, secrets: unknown, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) throw error
    const message = redact(error instanceof Error ? error.message : String(error), secrets)
    if (error instanceof Waiting)
      throw new Waiting(error.reason, message, error.retryAfterSeconds, error.observed)
    if (error instanceof Stalled) throw new Stalled(error.reason, message, error.observed)
    throw new Failed(reason, `${doing}: ${message}`)
  }
}

function within(namespace: string, object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace: object.metadata.namespace ?? namespace } }
}

/** Ends the wait, not the work: a repeat of the call adopts what the first one made. */
function withinDeadline<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const expire = () => reject(new Error('the driver did not answer in time'))
    signal.addEventListener('abort', expire, { once: true })
    call.then(resolve, reject).finally(() => signal.removeEventListener('abort', expire))
  })
}
