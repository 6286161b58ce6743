import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import type { ResourceType } from '../../api/types.ts'

/** The schema of the form for the settings of a type; the name is given once. */
export function typeSettingsSchema(categories: readonly string[], isNew: boolean): FreeForm {
  const id = {
    type: 'string',
    title: 'Type name',
    description:
      'Without the organization: lowercase letters, digits and single hyphens. The name of a built-in type overrides it.',
  }
  return {
    type: 'object',
    properties: {
      ...(isNew ? { id } : {}),
      name: { type: 'string', title: 'Display name' },
      use: {
        type: 'string',
        title: 'Use',
        oneOf: [
          { const: 'direct', title: 'direct: workloads can request it' },
          { const: 'indirect', title: 'indirect: only definitions can request it' },
        ],
      },
      category: { type: 'string', title: 'Category', suggestions: categories },
    },
    required: isNew ? ['id', 'use'] : ['use'],
    additionalProperties: false,
  }
}

/** Whether the type belongs to the organization. */
export function isCustom(org: string, { type }: Pick<ResourceType, 'type'>): boolean {
  return type.startsWith(`${org}/`)
}

/** What the form for a new type begins with: nothing, or the type that it overrides. */
export function newTypeValue(overridden: ResourceType | undefined): FreeForm {
  return overridden ? { id: overridden.type, ...typeValue(overridden) } : { use: 'direct' }
}

/** What the form for a type that exists begins with. */
export function typeValue({ name, use, category }: ResourceType): FreeForm {
  return { name, use: use === 'implicit' ? 'direct' : use, category }
}

/** The settings and schemas for a request. */
export function typeBody(settings: unknown, inputs_schema: FreeForm, outputs_schema: FreeForm) {
  const { name, use, category } = isObject(settings) ? settings : ({} as FreeForm)
  return {
    use: use === 'indirect' ? ('indirect' as const) : ('direct' as const),
    name: typeof name === 'string' ? name : undefined,
    category: typeof category === 'string' ? category : undefined,
    inputs_schema,
    outputs_schema,
  }
}

/** The name of a new type with its organization. */
export function newTypeName(org: string, settings: unknown): string {
  const { id } = isObject(settings) ? settings : ({} as FreeForm)
  return `${org}/${String(id)}`
}

/** What a new schema of outputs begins with. */
export const emptyOutputs: FreeForm = {
  type: 'object',
  properties: {
    values: { type: 'object', properties: { host: { type: 'string', title: 'Host' } } },
    secrets: { type: 'object', properties: { password: { type: 'string', title: 'Password' } } },
  },
}
