import type { ActiveResource } from '../../api/active-resource.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { sameJson } from '../../domain/base/json.ts'
import { problemsOfParams } from '../../domain/graph/checks.ts'
import { schemasHash } from '../../domain/resource/type-info.ts'
import type { ReconcileContext } from '../../kube/loop/controller.ts'
import type { ApplyResult } from '../objects/drift.ts'
import { deprovisionEach, recordDeprovisioned } from './deprovision.ts'
import { withObserved } from './driver-call.ts'
import { refuseOutdated } from './ended-resources.ts'
import { instancesOf } from './instances/provisioned-instances.ts'
import { type OutputsSecret, withSecretOutputs, writeOutputsSecret } from './outputs.ts'
import { callDriver, prepareCall, protectSecrets, recordInstance } from './provision-call.ts'
import {
  applyObjects,
  hideOutputs,
  keptObjects,
  placeObjects,
  readOutputs,
  recordObjects,
  removeKept,
} from './provision-objects.ts'
import {
  type ProvisionInputs,
  type ProvisionTools,
  type Run,
  startRun,
  unlessEmpty,
} from './provision-run.ts'
import type { ResourceStatus } from './resource-tools.ts'

interface Provision {
  readonly status: ResourceStatus
  readonly live: ApplyResult['live']
}

/**
 * Provisions a resource in these steps. Each is safe to repeat, so that after a crash the next reconcile starts again
 * with step 1, and a deletion finds in the status everything that the steps before the crash made.
 *
 * 1. refuseUnfitParams: throws Stalled for params that do not fit the type.
 *    prepareCall: asks the driver for the identity of the instance.
 * 2. refuseOutdated: throws for a resource that ended or changed before this process learned it.
 *    protectSecrets: writes the Secrets of the call to the status, and adds our finalizer to them; throws without the credentials.
 * 3. recordInstance: writes the instance to the status, before anything can exist outside the cluster.
 * 4. callDriver: makes or updates the instance.
 * 5. recordObjects: writes to the status the objects that no watch would find again, and removes the hash of earlier inputs
 *    before changes that no watch would show, or that begin a rollout.
 * 6. applyObjects: reserves the hosts and applies the objects.
 * 7. readOutputs: reads the outputs from the answer or from the objects.
 *    removeKept: deletes the objects of an earlier provision that the driver kept until then.
 * 8. hideOutputs: removes from the status the outputs that are secret by now.
 * 9. writeOutputsSecret: writes the secret outputs to a Secret.
 * 10. deprovision: deprovisions the predecessors.
 * 11. recordDeprovisioned: writes to the status that they are gone, before credentials of them are released.
 * 12. removeFinalizers: releases the Secrets that are no longer needed.
 */
export async function provision(
  resource: ActiveResource,
  inputs: ProvisionInputs,
  tools: ProvisionTools,
  context: ReconcileContext<typeof ActiveResource>,
): Promise<Provision> {
  const run = startRun(resource, inputs, tools, context)
  try {
    return await provisionIn(run)
  } finally {
    run.hold.end()
  }
}

async function provisionIn(run: Run): Promise<Provision> {
  const { resource, inputsHash, tools, context, type, isRepair } = run
  refuseUnfitParams(run)
  const call = await run.attempt(() => prepareCall(run))
  const instances = instancesOf(resource, call, run, tools)
  // The write of the record finds it out otherwise.
  if (instances.isOutsideCluster && !instances.isRecordNeeded) await refuseOutdated(resource, tools)
  await protectSecrets(run, call, instances)
  const recorded = await recordInstance(run, call, instances)
  const answer = await run.attempt(() => callDriver(run, call, recorded))
  const objects = await placeObjects(run, answer)
  await recordObjects(run, objects, instances, recorded)
  const applied = await applyObjects(run, objects, answer)
  const made = {
    objects: unlessEmpty(applied.applied),
    reservedHosts: answer.reservedHosts && [...answer.reservedHosts],
    provisioned: instances.current,
  }
  const status: ResourceStatus = { ...recorded, inputsHash: undefined, ...made }
  const kept = keptObjects(answer, recorded, applied)
  const withKept = { ...status, objects: unlessEmpty([...applied.applied, ...kept]) }
  const outputs = await withObserved(withKept, async () => {
    const read = await readOutputs(run, answer, applied)
    await removeKept(run, answer, applied)
    return read
  })
  const hidden = withSecretOutputs(status, outputs.secretPaths)
  const outputsSecret = await withObserved(hidden, async () => {
    await hideOutputs(run, outputs, recorded, hidden)
    const written = await writeOutputsSecret(resource, outputs.secrets, tools.objects)
    // The calls may have large answers too.
    run.hold.end()
    await deprovisionEach(resource, instances.predecessors, tools, context, instances.current)
    return written
  })
  const { predecessors } = instances
  await recordDeprovisioned(predecessors, call.secretNames, { ...hidden, ...outputsSecret }, context)
  const released = resource.status?.secretNames?.filter((name) => !call.secretNames.includes(name))
  await tools.secretFinalizers.removeFinalizers(resource, released ?? [])
  const provisioned = {
    outputs: outputs.values,
    ...outputsSecret,
    secretOutputPaths: unlessEmpty(outputs.secretPaths),
    explanation: resource.spec.definition.explanation,
    inputsHash,
    schemasHash: isRepair ? resource.status?.schemasHash : type && schemasHash(type),
    provisionTime: provisionTimeOf(resource, inputsHash, outputs.values, outputsSecret),
    ...made,
    secretNames: unlessEmpty(call.secretNames),
  }
  return { status: provisioned, live: applied.live }
}

/** Throws Stalled for params with values of placeholders that do not fit the type. A plan checks all others. */
function refuseUnfitParams({ resource, request, type, isRepair }: Run): void {
  if (!type || isRepair || sameJson(resource.spec.params ?? {}, request.params)) return
  const [problem] = problemsOfParams(type, request.params)
  if (problem !== undefined) throw new Stalled('InvalidParams', problem)
}

/** When inputs or outputs last changed: a repair that changes neither keeps the time, and so needs no write. */
function provisionTimeOf(
  { status }: ActiveResource,
  inputsHash: string,
  outputs: FreeForm,
  { outputsSecretVersion }: OutputsSecret,
): string | undefined {
  const isSame =
    status?.inputsHash === inputsHash &&
    sameJson(status.outputs, outputs) &&
    status.outputsSecretVersion === outputsSecretVersion
  return isSame ? status.provisionTime : new Date().toISOString()
}
