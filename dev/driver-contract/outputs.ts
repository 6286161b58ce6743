import { isDeepStrictEqual } from 'node:util'
import { parseJson } from '../../operator/domain/base/json.ts'
import { misplacedOutputs } from '../../operator/drivers/http/output-data.ts'
import type { Answer } from './client.ts'
import { Failure } from './failure.ts'
import { isJson, type Json, textsIn } from './inputs.ts'

/** The body of a 200. */
export interface Outputs {
  readonly id?: unknown
  readonly type?: unknown
  readonly values: Json
  readonly secrets: Json
  readonly manifests: readonly unknown[]
  /** Where outputs are that nothing reads, if there are none where they belong. */
  readonly misplaced: string | undefined
}

/** Reads a 200; throws a Failure for an invalid body. */
export function outputsOf(answer: Answer): Outputs {
  const body = parseJson(answer.text)
  if (!isJson(body)) throw new Failure(`the body of the 200 is no JSON object`)
  const resource = objectAt(body, 'resource')
  const manifests = body.manifests ?? resource.manifests ?? []
  if (!Array.isArray(manifests)) throw new Failure(`'manifests' is not an array`)
  return {
    id: body.id,
    type: body.type,
    values: objectAt(resource, 'values'),
    secrets: objectAt(resource, 'secrets'),
    manifests,
    misplaced: misplacedOutputs(body, resource),
  }
}

/** Throws a Failure that names the first difference. */
export function expectSame(before: Outputs, after: Outputs, when: string): void {
  for (const part of ['values', 'secrets'] as const) {
    const names = [...new Set([...Object.keys(before[part]), ...Object.keys(after[part])])]
    const name = names.find((each) => !isDeepStrictEqual(before[part][each], after[part][each]))
    if (name !== undefined)
      throw new Failure(`the output '${part}.${name}' changed ${when}: the driver created a second resource`)
  }
  if (before.id !== after.id) throw new Failure(`'id' changed ${when}`)
}

/** Throws a Failure when one of the texts appears in `where`. */
export function expectNone(secrets: readonly string[], where: unknown, place: string): void {
  const found = textsIn(where).some((text) => secrets.some((secret) => text.includes(secret)))
  if (found) throw new Failure(`a secret appears in ${place}`)
}

/** Paths of all nulls in a value. */
export function nullsIn(value: unknown, path: string): string[] {
  if (value === null) return [path]
  if (typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, each]) => nullsIn(each, `${path}.${key}`))
}

function objectAt(holder: Json, key: string): Json {
  const value = holder[key]
  if (value === undefined) return {}
  if (!isJson(value)) throw new Failure(`'${key}' is not an object`)
  return value
}
