import type { FreeForm } from '../../api/schema.ts'
import { isIndexed, isObject, pointerSteps, replaceAt } from '../base/json.ts'

/** A text of a module that contains a secret. Only `reveal` and `revealValue` give it: printed or as JSON, it is hidden. */
export class SecretText {
  readonly #text: string
  readonly #value: unknown

  /** `value` is what the text is the JSON of, when it is no text itself. */
  constructor(text: string, value: unknown = text) {
    this.#text = text
    this.#value = value
  }

  reveal(): string {
    return this.#text
  }

  /** The text, or the value that it is the JSON of. */
  revealValue(): unknown {
    return this.#value
  }

  toJSON(): string {
    return '(secret)'
  }
}

/** A text of a module, plain or with a secret. */
export type ModuleText = string | SecretText

/** The JSON of a value, which is secret when a text in it is. */
export function jsonOf(value: unknown): ModuleText {
  let isSecret = false
  const revealed = (each: unknown): unknown => {
    if (each instanceof SecretText) {
      isSecret = true
      return each.revealValue()
    }
    if (Array.isArray(each)) return each.map(revealed)
    if (!isObject(each)) return each
    return Object.fromEntries(Object.entries(each).map(([key, member]) => [key, revealed(member)]))
  }
  const text = JSON.stringify(revealed(value))
  return isSecret ? new SecretText(text) : text
}

/** A copy of the value with a `SecretText` at each of the JSON pointers. */
export function withSecretTexts(value: FreeForm, pointers: readonly string[]): FreeForm {
  const copy = structuredClone(value)
  for (const pointer of pointers)
    replaceAt(
      copy,
      pointer,
      (value) =>
        new SecretText(typeof value === 'string' ? value : JSON.stringify(value ?? null), value ?? null),
    )
  return copy
}

/** The params of a workload, and JSON pointers to those of their texts that contain secrets. */
export interface ParamsWithSecrets {
  readonly params: FreeForm
  readonly secretParams?: readonly string[]
}

/** The texts of a workload that contain secrets. */
export function secretTextsOf({ params, secretParams = [] }: ParamsWithSecrets): unknown[] {
  return secretParams.map((pointer) =>
    pointerSteps(pointer).reduce<unknown>(
      (inner, key) => (isIndexed(inner) ? inner[key] : undefined),
      params,
    ),
  )
}
