import type { ActiveResource } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { copyError, hadNoSideEffects, Waiting } from '../../domain/base/errors.ts'
import { sameJson } from '../../domain/base/json.ts'
import { driverName } from '../../domain/definition/definition.ts'
import { areCovered, leafPaths } from '../../domain/schema/secret-outputs.ts'
import type { Outputs, Provisioned, ProvisionRequest } from '../../drivers/driver.ts'
import type { ReconcileContext } from '../../kube/loop/controller.ts'
import type { Observed } from '../../kube/loop/status.ts'
import type { Objects } from '../../kube/objects.ts'
import { refuseReserved } from '../shared/applied-object.ts'
import { openNamespace, refuseNamespaceOfOthers } from '../shared/environment-namespace.ts'
import type { Applied } from '../shared/inventory.ts'
import type { ResourceTools } from './active-resource.ts'
import { cookieSecretName, openCookie } from './cookies.ts'
import { deprovision } from './deprovision.ts'
import { step, withinDeadline, withProgress } from './driver-call.ts'
import type { FoundDriver } from './organization-drivers.ts'
import { hiding, keepSecretOutputs, sortOutputs } from './outputs.ts'
import { type GatheredRequest, secretTextsOf } from './provision-request.ts'
import { factsOf, provisionedInstancesOf, remembered, secretsOf } from './provisioned-instances.ts'
import type { Untouched } from './untouched.ts'

type Seen = Observed<typeof ActiveResource>

/**
 * Brings a resource up. What stands instead is remembered before anything is made, and goes when the new one is ready,
 * so that neither a crash nor a change of mind in between leaves anything behind that nobody knows of.
 */
export async function provision(
  resource: ActiveResource,
  request: GatheredRequest,
  inputsHash: string,
  tools: ResourceTools & { readonly untouched: Untouched },
  context: ReconcileContext<typeof ActiveResource>,
): Promise<Seen> {
  const found = tools.drivers.find(resource.metadata.namespace ?? '', resource.spec.definition.driverType)
  const { driver } = found
  const signal = AbortSignal.timeout(tools.deadlineSeconds * 1000)
  const doing = `provisioning with '${resource.spec.definition.driverType}'`
  const secrets = [request.secrets, request.account, secretTextsOf(request)]
  const attempt = <T>(work: () => Promise<T>) => step('ProvisionFailed', doing, secrets, work)
  const prepared = await attempt(() => callFor(resource, request, found, signal, tools))
  const { standing, predecessors, isNews } = provisionedInstancesOf(resource, prepared, found, tools)
  await tools.secretFinalizers.addFinalizers(resource, prepared.secretNames)
  let known = factsOf(resource)
  if (isNews) {
    const needed = [
      ...new Set([
        ...prepared.secretNames,
        ...predecessors.flatMap((each) => secretsOf(resource, each, tools)),
      ]),
    ].sort()
    known = remembered(known, standing, predecessors, needed)
    tools.untouched.note(resource)
    await context.report(known, doing)
  }
  const asking = () => withinDeadline(driver.provision(prepared.request), signal)
  const result = await attempt(() =>
    noting(resource, known, tools.untouched, () =>
      driver.descriptor.remote ? context.releaseWorker(asking) : asking(),
    ),
  )
  const objects = await placeAll(resource, result.objects, request.namespace, tools.objects)
  const kinds = driver.descriptor.applies ?? []
  const unrecorded = await tools.inventory.unfindable(resource, objects, kinds)
  if (unrecorded.length > 0) {
    const { inputsHash: _, ...facts } = known
    await context.report(
      { ...facts, provisioned: standing, objects: [...(facts.objects ?? []), ...unrecorded] },
      doing,
    )
  }
  tools.hostReservations.reserve(resource, result.reservedHosts ?? [])
  const applied = await attempt(() => tools.inventory.bring(resource, objects, kinds))
  const stands = {
    objects: unlessEmpty(applied.standing),
    reservedHosts: result.reservedHosts && [...result.reservedHosts],
    provisioned: standing,
  }
  const facts = present({ ...known, inputsHash: undefined, ...stands })
  const outputs = await withProgress(facts, async () => {
    const given = await attempt(() => outputsOf(resource, request.namespace, result, applied, tools))
    return sortedOutputs(resource, given, tools)
  })
  const secretsKnown = hiding(facts, outputs.secretPaths)
  const outputsSecretName = await withProgress(secretsKnown, async () => {
    // What is secret is remembered first: a process that dies here must not forget it.
    if (!areCovered(leafPaths(outputs.secrets), known.secretOutputPaths ?? []))
      await context.report(secretsKnown, doing)
    const name = await keepSecretOutputs(resource, outputs.secrets, tools.objects)
    for (const each of predecessors) await deprovision(resource, each, tools, context, standing)
    return name
  })
  await tools.secretFinalizers.removeFinalizers(
    resource,
    (resource.status?.secretNames ?? []).filter((name) => !prepared.secretNames.includes(name)),
  )
  const { explanation } = resource.spec.definition
  return present({
    outputs: outputs.values,
    outputsSecretName,
    secretOutputPaths: unlessEmpty(outputs.secretPaths),
    explanation,
    inputsHash,
    provisionTime: provisionTimeOf(resource, inputsHash, outputs.values),
    ...stands,
    secretNames: unlessEmpty(prepared.secretNames),
  })
}

/** Takes the note of a standing back when the call made nothing; whatever else came of the call, the note stays. */
async function noting<T>(
  resource: ActiveResource,
  known: Seen,
  untouched: Untouched,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const result = await work()
    untouched.forget(resource)
    return result
  } catch (error) {
    if (hadNoSideEffects(error)) throw copyError(error, { observed: untouched.without(resource, known) })
    untouched.forget(resource)
    throw error
  }
}

/** When it last became another: a repair that changes nothing is no news, and not worth a write. */
function provisionTimeOf(
  { status }: ActiveResource,
  inputsHash: string,
  outputs: FreeForm,
): string | undefined {
  const isNews = status?.inputsHash !== inputsHash || !sameJson(status.outputs, outputs)
  return isNews ? new Date().toISOString() : status.provisionTime
}

function sortedOutputs(resource: ActiveResource, outputs: Outputs, { planning }: ResourceTools) {
  const { metadata, spec, status } = resource
  const types = planning.typesOf(metadata.namespace ?? '')
  return sortOutputs(outputs, types, spec.type, status?.secretOutputPaths)
}

function unlessEmpty<T>(items: readonly T[] = []): T[] | undefined {
  return items.length > 0 ? [...items] : undefined
}

/** Without the fields that hold nothing. */
function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  } // what is undefined is absent
}

/** The request with its deadline, what the driver knows it by, and the cookie where the driver keeps one. */
async function callFor(
  resource: ActiveResource,
  request: GatheredRequest,
  { driver, recordedAs }: FoundDriver,
  signal: AbortSignal,
  tools: ResourceTools,
): Promise<{
  readonly request: ProvisionRequest
  readonly identity?: FreeForm
  /** Secrets that are needed for the call, or that it makes. */
  readonly secretNames: readonly string[]
}> {
  const plain: ProvisionRequest = { ...request, signal }
  const identity = await withinDeadline(Promise.resolve(driver.identify?.(plain)), signal)
  const known = identity ? { identity } : {}
  const { secretNames } = request
  if (!driver.descriptor.keepsCookie) return { request: plain, secretNames, ...known }
  const cookieName = cookieSecretName(
    resource.metadata.name,
    driverName(recordedAs.driverType, tools.vendors),
    known,
  )
  return {
    request: { ...plain, cookie: openCookie(resource, cookieName, tools) },
    secretNames: [...secretNames, cookieName].sort(),
    ...known,
  }
}

/** The outputs, those included that only the objects in the cluster can tell. */
async function outputsOf(
  resource: ActiveResource,
  namespace: string,
  result: Provisioned,
  applied: Applied,
  { objects, inventory, deadlineSeconds }: ResourceTools,
): Promise<Outputs> {
  const { outputsFrom, observed = {}, outputs } = result
  if (!outputsFrom) return outputs
  const seen: Record<string, KubeObject | undefined> = {}
  // What is read becomes outputs: nobody may see more than the objects of the environment.
  if (Object.keys(observed).length > 0) await openNamespace(objects, resource.spec.context, namespace)
  for (const [name, reference] of Object.entries(observed))
    seen[name] = await objects.read({ ...reference, namespace })
  try {
    const signal = AbortSignal.timeout(deadlineSeconds * 1000)
    return await withinDeadline(outputsFrom.call(result, applied.live, seen), signal)
  } catch (error) {
    if (error instanceof Waiting) await inventory.await(resource, applied)
    throw error
  }
}

async function placeAll(
  resource: ActiveResource,
  objects: readonly KubeObject[],
  namespace: string,
  door: Objects,
): Promise<KubeObject[]> {
  for (const each of objects) refuseReserved(each)
  for (const each of objects) await refuseNamespaceOfOthers(door, resource, each)
  return Promise.all(objects.map((each) => door.placed(each, namespace)))
}
