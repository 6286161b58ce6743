import { toReferences } from '../../../../api-gateway/endpoints/common/secret-refs.ts'
import { toWire } from '../../../../api-gateway/request/wire.ts'
import { criterionSchema, provisionSchema } from '../../../../operator/api/resource-definition.ts'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import { isObject } from '../../../../operator/domain/base/json.ts'
import type { Organization } from '../../support/client.ts'
import type { Definition } from './definition.ts'

/** Applies a definition by kubectl, creates or replaces it over REST, or does the latter with its secret input in plain text. */
export const definers = ['kubectl', 'REST', 'REST in plain text'] as const
export type Definer = (typeof definers)[number]

/** Creates or replaces a definition over REST; a request that is refused changes nothing. */
export async function defineOverRest(
  { rest }: Organization,
  definition: Definition,
  secret: string | undefined,
): Promise<void> {
  const send = async (method: string, path: string, body: object) => {
    const { status, body: answer } = await rest(method, `/resources/defs${path}`, body)
    if (status >= 500) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
    return status
  }
  const { id, type, criteria, ...content } = bodyOf(definition, secret)
  if ((await send('POST', '', { id, type, criteria, ...content })) !== 409) return
  await send('PUT', `/${id}`, content)
  await send('PUT', `/${id}/criteria`, criteria)
}

function bodyOf({ name, spec }: Definition, secret: string | undefined) {
  const { type, driverType, accountName, driverInputs = {}, provision = {}, criteria = [] } = spec
  const { values, secretRefs } = driverInputs
  return {
    id: name,
    name,
    type,
    driver_type: driverType,
    ...(accountName === undefined ? {} : { driver_account: accountName }),
    driver_inputs: { values, ...secretInputs(secretRefs, name, secret) },
    provision: toWire(provisionSchema, provision),
    criteria: criteria.map((each) => toWire(criterionSchema, each)),
  }
}

/** The secret inputs as references, or the input `key`, if it is of a Secret, in plain text. */
function secretInputs(refs: FreeForm | undefined, name: string, secret: string | undefined): object {
  if (refs === undefined) return {}
  return secret !== undefined && isObject(refs.key) && 'secret' in refs.key
    ? { secrets: { key: secret } }
    : { secret_refs: toReferences(refs, name) }
}
