import type { ResourceType } from '../../../../operator/api/resource-type.ts'

/** What a type of the organization asks of its inputs and outputs. */
export const typeForms = ['usual', 'label required', 'short tags', 'secret tags'] as const
export type TypeForm = (typeof typeForms)[number]

const text = { type: 'string' }

/** A type in a form; `hasSecretTags` says that its tags were secret before. */
export function typeOf(form: TypeForm, hasSecretTags: boolean): ResourceType['spec'] {
  const tag = form === 'short tags' ? { ...text, maxLength: 20 } : text
  const rest = { where: text, near: text, all: {} }
  return {
    use: 'direct',
    inputsSchema: {
      properties: { label: text },
      ...(form === 'label required' ? { required: ['label'] } : {}),
    },
    outputsSchema: {
      properties: hasSecretTags
        ? { values: { properties: rest }, secrets: { properties: { key: text, tag } } }
        : { values: { properties: { tag, ...rest } }, secrets: { properties: { key: text } } },
    },
    classes: [{ name: 'large', description: 'More' }],
  }
}

/** The type of the organization that overrides the built-in `s3`. */
export const ownBucket: ResourceType['spec'] = {
  use: 'direct',
  outputsSchema: {
    properties: {
      values: { properties: { bucket: text } },
      secrets: { properties: { aws_access_key_id: text } },
    },
  },
}
