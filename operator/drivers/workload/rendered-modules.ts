import type { FreeForm } from '../../api/schema.ts'
import { Problem, Stalled } from '../../domain/base/errors.ts'
import { isObject } from '../../domain/base/json.ts'
import { withSecretTexts } from '../../domain/module/secret-text.ts'
import { type PodParts, partsOutput, podPartsOf } from '../../domain/rendering/pod-parts.ts'
import { withUpdate } from '../../domain/rendering/update.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import { simpleTypeName, workloadType } from '../../domain/resource/types.ts'
import type { Driver, Outputs, Provisioned, ProvisionRequest } from '../driver.ts'
import { type ModuleSettings, renderModule } from './render-module.ts'

/**
 * The driver, for workloads too: when it outputs `update`, a JSON Patch of the module, or parts of pods, the module is
 * rendered with them. A workload without these outputs consists of the objects of the driver alone, so one that cannot be
 * used is an error: without the module, the pods of the workload would be deleted.
 */
export function withRenderedModules(driver: Driver, settings: ModuleSettings): Driver {
  return {
    ...driver,
    async provision(request) {
      const provisioned = await driver.provision(request)
      if (simpleTypeName(request.type) !== workloadType) return provisioned
      refuseSecrets(provisioned.outputs, request)
      const answer = withoutLateUpdate(provisioned, request)
      const parts = ownParts(answer.outputs.values, request)
      const update = answer.outputs.values.update ?? (parts && [])
      if (!Array.isArray(update)) return answer
      const module = withSecretTexts(request.params, request.secretParams ?? [])
      try {
        const whole = { ...request, parts: [...(request.parts ?? []), ...(parts ? [parts] : [])] }
        const rendered = renderModule(withUpdate(module, update), whole, settings)
        return { ...answer, objects: [...answer.objects, ...rendered] }
      } catch (error) {
        throw error instanceof Problem ? new Stalled('InvalidModule', error.message) : error
      }
    },
  }
}

/** What outputs of the definition of the workload add to its pods. */
function ownParts(outputs: FreeForm, request: ProvisionRequest): PodParts | undefined {
  return podPartsOf({ guResId: request.guResId, names: [], descriptor: formatDescriptor(request) }, outputs)
}

function refuseSecrets({ secrets }: Outputs, request: ProvisionRequest): void {
  if (!Array.isArray(secrets.update) && !ownParts(secrets, request)) return
  const output = Array.isArray(secrets.update) ? 'update' : partsOutput
  const message = `the output '${output}' contains a secret: a placeholder in the module can name it instead`
  throw new Stalled('SecretLeak', message)
}

/**
 * Refuses an update that is known only after the objects of the driver are applied: at once when a template has its key at the
 * start of a line. Another one is refused when the outputs come, and the pods of an earlier provision stay until then.
 */
function withoutLateUpdate(provisioned: Provisioned, { values, secrets }: ProvisionRequest): Provisioned {
  const { outputsFrom } = provisioned
  if (!outputsFrom) return provisioned
  if (mentionsUpdate(values) || mentionsUpdate(secrets)) throw lateUpdate()
  return {
    ...provisioned,
    keepsEarlier: true,
    async outputsFrom(...objects) {
      const outputs = await outputsFrom(...objects)
      if (Array.isArray(outputs.values.update) || Array.isArray(outputs.secrets.update)) throw lateUpdate()
      return outputs
    },
  }
}

function lateUpdate(): Stalled {
  const message = `the output 'update' is needed before any object exists: outputs beside it must not use '.objects', '.observed' or 'await'`
  return new Stalled('InvalidOutputs', message)
}

/** Whether a template of outputs has the key `update`: it cannot be rendered yet. */
function mentionsUpdate({ templates }: FreeForm): boolean {
  const { outputs } = (templates ?? {}) as { readonly outputs?: unknown } // of the template driver
  if (typeof outputs === 'string') return /^["']?update["']?\s*:/m.test(outputs)
  return isObject(outputs) && Object.hasOwn(outputs, 'update')
}
