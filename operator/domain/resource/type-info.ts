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
