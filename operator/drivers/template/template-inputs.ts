import type { FreeForm } from '../../api/schema.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { isObject, ownValue } from '../../domain/base/json.ts'
import type { ProvisionRequest } from '../driver.ts'

const names = ['init', 'cookie', 'manifests', 'outputs'] as const

/** The templates of a definition. */
export interface Sources {
  readonly init: unknown
  readonly cookie: unknown
  readonly manifests: unknown
  readonly outputs: unknown
  /** Templates of secret outputs, all of which count. */
  readonly secretOutputs: readonly unknown[]
  /** The parts of templates whose own text contains a secret. */
  readonly secretParts: { readonly init: unknown; readonly cookie: unknown; readonly manifests: unknown }
}

/**
 * The templates among the inputs. A template with a secret from a placeholder is among the secret inputs: it is the same
 * template, but its result is secret.
 */
export function sourcesOf({ values, secrets }: Pick<ProvisionRequest, 'values' | 'secrets'>): Sources {
  const plain = templatesIn(values)
  const secret = templatesIn(secrets)
  const [init, cookie, manifests] = names.slice(0, 3).map((name) => both(name, plain, secret))
  return {
    init,
    cookie,
    manifests,
    outputs: given(plain, 'outputs'),
    secretOutputs: [given(plain, 'secrets'), given(secret, 'secrets'), given(secret, 'outputs')].filter(
      (each) => each !== undefined,
    ),
    secretParts: {
      init: given(secret, 'init'),
      cookie: given(secret, 'cookie'),
      manifests: given(secret, 'manifests'),
    },
  }
}

/** Whether the outputs depend on objects in the cluster. */
export function readsObjects({ outputs, secretOutputs }: Sources): boolean {
  return /\.(?:objects|observed)\b|\bawait(?:Condition)?\b/.test(JSON.stringify([outputs, secretOutputs]))
}

function templatesIn(inputs: FreeForm): FreeForm {
  const templates = ownValue(inputs, 'templates')
  return isObject(templates) ? templates : {}
}

function given(templates: FreeForm, name: string): unknown {
  const template = ownValue(templates, name)
  const isBlank = template === null || (typeof template === 'string' && template.trim() === '')
  return isBlank ? undefined : template
}

function both(name: string, plain: FreeForm, secret: FreeForm): unknown {
  const [left, right] = [given(plain, name), given(secret, name)]
  if (left === undefined || right === undefined) return left ?? right
  return merged(left, right, `templates.${name}`)
}

function merged(left: unknown, right: unknown, at: string): unknown {
  if (!isObject(left) || !isObject(right))
    throw new Stalled('InvalidInputs', `'${at}' is both a plain and a secret input`)
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return Object.fromEntries(
    keys.map((key) => {
      if (!Object.hasOwn(right, key)) return [key, left[key]]
      return [key, Object.hasOwn(left, key) ? merged(left[key], right[key], `${at}.${key}`) : right[key]]
    }),
  )
}
