import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../base/json.ts'
import { isBlank, misspeltFieldOf } from '../delta/dependency-form.ts'
import { moduleSchema } from './module-schema.ts'

const fields = ['profile', 'spec', 'externals', 'deploy']
const fieldsOfSpec = Object.keys((moduleSchema as unknown as { properties: object }).properties) // of an object

/** Why a module without containers may lack what it should run: a field of its `spec` is misspelt. */
export function problemOfSpec({ spec }: { readonly spec?: unknown }): string | undefined {
  const wrong = isObject(spec) ? misspeltFieldOf(spec, fieldsOfSpec) : undefined
  return wrong === undefined ? undefined : `'/spec' has ${wrong}`
}

/** Why a field beside `spec` has no effect: it misspells one, or belongs into `spec`. */
export function problemOfFields(module: FreeForm): string | undefined {
  const misplaced = fieldsOfSpec.find((name) => !isBlank(module[name]))
  if (misplaced !== undefined) return `'/${misplaced}': belongs into '/spec'`
  const wrong = misspeltFieldOf(module, fields)
  return wrong === undefined ? undefined : `the module has ${wrong}`
}
