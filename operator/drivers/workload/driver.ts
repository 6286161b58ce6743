import { hash } from 'node:crypto'
import type { FreeForm } from '../../api/schema.ts'
import { replaceAt } from '../../domain/base/json.ts'
import { withSecretTexts } from '../../domain/module/secret-text.ts'
import type { Driver, Outputs, ProvisionRequest } from '../driver.ts'
import { workloadDescriptor } from './descriptor.ts'
import { type ModuleSettings, renderModule } from './render-module.ts'

/** Renders the modules of workloads; secret texts reach the containers by Secrets. */
export function createWorkload(settings: ModuleSettings): Driver {
  return {
    descriptor: workloadDescriptor,
    async provision(request) {
      const { params, secretParams = [], values } = request
      const objects = renderModule(withSecretTexts(params, secretParams), request, settings)
      return { outputs: values.outputs === 'none' ? noOutputs : moduleOutputs(request), objects }
    },
    async deprovision() {},
  }
}

const noOutputs: Outputs = { values: {}, secrets: {} }

/** The module: each text with a secret is a secret output, and `{secretOutput}` names it. */
function moduleOutputs({ params, secretParams = [] }: ProvisionRequest): Outputs {
  const values = structuredClone(params)
  const secrets: FreeForm = {}
  for (const pointer of secretParams) {
    const name = nameOf(pointer)
    replaceAt(values, pointer, (text) => {
      secrets[name] = text
      return { secretOutput: name }
    })
  }
  return { values, secrets }
}

/** A readable key of a Secret that is unique for each pointer. */
function nameOf(pointer: string): string {
  const digest = hash('sha256', pointer).slice(0, 8)
  return `${pointer
    .slice(1)
    .replaceAll('/', '.')
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .slice(0, 200)}-${digest}`
}
