import { hash } from 'node:crypto'
import { canonicalJson } from '../base/json.ts'

/** Who asks for a resource of a type: a workload, a definition only, or every environment. */
export type TypeUse = 'direct' | 'indirect' | 'implicit'

/** A resource type, built-in or custom. */
export interface ResourceTypeInfo {
  readonly type: string
  readonly name: string
  readonly use: TypeUse
  readonly category: string
  /** JSON Schema of the inputs, which are never secret. */
  readonly inputsSchema: Readonly<Record<string, unknown>>
  /** JSON Schema of the outputs: secret ones under the property `secrets`, the others under `values`. */
  readonly outputsSchema: Readonly<Record<string, unknown>>
}

/** The custom type of that name; undefined for a built-in one, and for one that does not exist. */
export function findCustomType(
  name: string,
  types: readonly ResourceTypeInfo[],
): ResourceTypeInfo | undefined {
  return name.includes('/') ? types.find(({ type }) => type === name) : undefined
}

/** A hash of the schemas of a type. */
export function schemasHash({ inputsSchema, outputsSchema }: ResourceTypeInfo): string {
  return hash('sha256', `${schemaHash(inputsSchema)}${schemaHash(outputsSchema)}`)
}

/** Whether the type had other schemas at the last driver call of a resource. Earlier versions did not record them. */
export function hasOtherSchemas(
  status: { readonly schemasHash?: string } | undefined,
  type: ResourceTypeInfo | undefined,
): boolean {
  const known = status?.schemasHash
  return known !== undefined && type !== undefined && known !== schemasHash(type)
}

/** A schema may be large, and many resources have its type. */
const hashes = new WeakMap<ResourceTypeInfo['inputsSchema'], string>()

function schemaHash(schema: ResourceTypeInfo['inputsSchema']): string {
  const found = hashes.get(schema) ?? hash('sha256', canonicalJson(schema))
  hashes.set(schema, found)
  return found
}
