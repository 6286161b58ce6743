import type { FreeForm } from '../../api/schema.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import type { ResourceTypeInfo } from '../resource/type-info.ts'
import { propertiesOf } from './declared-secrets.ts'
import { partsOf } from './parted-schema.ts'

/** Names of all outputs that a resource will have; undefined when they are not known before a provision. */
export function outputNamesOf(
  driver: DriverDescriptor | undefined,
  inputs: { readonly values?: FreeForm; readonly secretRefs?: FreeForm } | undefined,
  type: ResourceTypeInfo | undefined,
): ReadonlySet<string> | undefined {
  const { values = {}, secretRefs = {} } = inputs ?? {}
  if (driver?.outputNames) return new Set(driver.outputNames({ values, secretRefs }))
  if (!type?.type.includes('/')) return undefined
  const parts = partsOf(type.outputsSchema)
  const isClosed = [parts.values, parts.secrets].every(
    (part) => part?.['additionalProperties'] === false && part['patternProperties'] === undefined,
  )
  return isClosed
    ? new Set([...Object.keys(propertiesOf(parts.values)), ...Object.keys(propertiesOf(parts.secrets))])
    : undefined
}
