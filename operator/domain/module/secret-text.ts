import type { FreeForm } from '../../api/schema.ts'
import { isIndexed, isObject, pointerSteps, replaceAt } from '../base/json.ts'

/**
 * A text of a module that contains a secret, or another value that becomes a text. Only `reveal` and `revealValue` give it:
 * printed or as JSON, it is hidden.
 */
export class SecretText {
  readonly #value: unknown

  constructor(value: unknown) {
    this.#value = value ?? null
  }

  /** The text, or the JSON of a value that is none. */
  reveal(): string {
    return typeof this.#value === 'string' ? this.#value : JSON.stringify(this.#value)
  }

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
  for (const pointer of pointers) replaceAt(copy, pointer, (value) => new SecretText(value))
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
