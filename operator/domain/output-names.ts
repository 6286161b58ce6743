import type { FreeForm } from '../api/schema.ts'
import type { DriverDescriptor } from './driver.ts'
import { isObject } from './json.ts'
import type { ResourceTypeInfo } from './types.ts'
import { partsOf } from './user-schema.ts'

/** Outputs of a resource, in the two parts that they are kept in. */
interface Outputs {
  readonly values: FreeForm
  readonly secrets: FreeForm
}

/** The outputs with those apart that the schema names among the secret ones, and not among the others. */
export function withSecretsApart(outputs: Outputs, outputsSchema: FreeForm): Outputs {
  const { values, secrets } = partsOf(outputsSchema)
  const open = propertiesOf(values)
  const secret = propertiesOf(secrets)
  const isSecret = ([name]: readonly [string, unknown]) => secret.has(name) && !open.has(name)
  const entries = Object.entries(outputs.values)
  const moved = entries.filter(isSecret)
  if (moved.length === 0) return outputs
  return {
    values: Object.fromEntries(entries.filter((each) => !isSecret(each))),
    secrets: { ...outputs.secrets, ...Object.fromEntries(moved) },
  }
}

/** Names of the outputs that a resource will have, as far as anybody can know before; undefined when nobody can. */
export function outputNamesOf(
  driver: DriverDescriptor | undefined,
  inputs: { readonly values?: FreeForm; readonly secretRefs?: FreeForm } | undefined,
  type: ResourceTypeInfo | undefined,
): ReadonlySet<string> | undefined {
  const { values = {}, secretRefs = {} } = inputs ?? {}
  if (driver?.outputNames) return new Set(driver.outputNames({ values, secretRefs }))
  if (!type?.type.includes('/')) return undefined
  const parts = partsOf(type.outputsSchema)
  const isClosed = [parts.values, parts.secrets].every((part) => part?.['additionalProperties'] === false)
  return isClosed ? new Set([...propertiesOf(parts.values), ...propertiesOf(parts.secrets)]) : undefined
}

function propertiesOf(schema: FreeForm | undefined): ReadonlySet<string> {
  const properties = schema?.['properties']
  return new Set(isObject(properties) ? Object.keys(properties) : [])
}
