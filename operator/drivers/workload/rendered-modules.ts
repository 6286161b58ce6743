import { Problem, Stalled } from '../../domain/base/errors.ts'
import { withSecretTexts } from '../../domain/module/secret-text.ts'
import { withUpdate } from '../../domain/rendering/update.ts'
import { simpleTypeName, workloadType } from '../../domain/resource/types.ts'
import type { Driver } from '../driver.ts'
import { type ModuleSettings, renderModule } from './render-module.ts'

/**
 * The driver, for workloads too: when it outputs `update`, a JSON Patch of the module, the module is rendered with it. A
 * workload without this output consists of the objects of the driver alone.
 */
export function withRenderedModules(driver: Driver, settings: ModuleSettings): Driver {
  return {
    ...driver,
    async provision(request) {
      const provisioned = await driver.provision(request)
      const { update } = provisioned.outputs.values
      if (simpleTypeName(request.type) !== workloadType || !Array.isArray(update)) return provisioned
      const module = withSecretTexts(request.params, request.secretParams ?? [])
      try {
        const rendered = renderModule(withUpdate(module, update), request, settings)
        return { ...provisioned, objects: [...provisioned.objects, ...rendered] }
      } catch (error) {
        throw error instanceof Problem ? new Stalled('InvalidModule', error.message) : error
      }
    },
  }
}
