import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject, parseJson } from '../../../operator/domain/base/json.ts'
import type { Driver } from '../../api/types.ts'

/** The schema of the form for the settings of a driver. */
export function driverSettingsSchema(
  isNew: boolean,
  types: readonly string[],
  accountTypes: readonly string[],
): FreeForm {
  const id = {
    type: 'string',
    title: 'ID',
    description: 'Lowercase letters, digits and single hyphens. Definitions name it with the organization.',
  }
  return {
    type: 'object',
    properties: {
      ...(isNew ? { id } : {}),
      type: {
        type: 'string',
        title: 'Resource type',
        description: 'What it provisions.',
        suggestions: types,
      },
      target: {
        type: 'string',
        title: 'Target',
        description: 'URL of the driver, or driver:// and a driver whose inputs a template makes.',
        examples: ['https://driver.example.com'],
      },
      account_types: {
        type: 'array',
        title: 'Account types',
        description: 'Accounts that it accepts. The type none makes the account optional.',
        items: { type: 'string', suggestions: accountTypes },
        maxItems: 64,
      },
    },
    required: [...(isNew ? ['id'] : []), 'type', 'target'],
    additionalProperties: false,
  }
}

/** What the form for a driver begins with. */
export function driverValue({ type, target, account_types }: Driver): FreeForm {
  return { type, target, account_types }
}

/** The text of a template in the form: an object as JSON. */
export function templateText(template: unknown): string {
  if (template === undefined || template === null) return ''
  return typeof template === 'string' ? template : JSON.stringify(template, undefined, 2)
}

/** The template that a text means: an object if the text is one as JSON, else the text; none if it is empty. */
export function templateOf(text: string): unknown {
  if (text.trim() === '') return undefined
  const parsed = parseJson(text)
  return isObject(parsed) ? parsed : text
}

/** Body of a request that registers or replaces a driver. */
export function driverBody(settings: unknown, inputs_schema: FreeForm, template: string) {
  const { type, target, account_types } = isObject(settings) ? settings : ({} as FreeForm)
  return {
    type: String(type),
    target: String(target),
    account_types: Array.isArray(account_types) ? account_types.map(String).filter(Boolean) : [],
    inputs_schema,
    template: templateOf(template),
  }
}

/** The ID that the form for a new driver has. */
export function newDriverId(settings: unknown): string {
  return isObject(settings) ? String(settings['id']) : ''
}
