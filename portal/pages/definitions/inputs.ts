import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import type { Driver, ResourceType } from '../../api/types.ts'
import { memberPointer } from '../../forms/model/pointer.ts'

/** The schema of the form for a definition: the outputs of the type for a static definition, else the inputs of the driver. */
export function schemaFor(
  driverType: string,
  type: ResourceType | undefined,
  drivers: readonly Driver[],
): FreeForm {
  const { inputs_schema } = driverNamed(driverType, drivers) ?? {}
  return (isStatic(driverType, drivers) ? type?.outputs_schema : inputs_schema) ?? {}
}

/** Whether a definition with the driver is static: its inputs are the outputs of the type. */
export function isStatic(driverType: string, drivers: readonly Driver[]): boolean {
  const driver = driverNamed(driverType, drivers)
  return driver?.id === 'echo' && driver.target === undefined
}

/** A built-in driver has several vendor names, of which the list has one; `static` is the earlier name of `echo`. */
function driverNamed(driverType: string, drivers: readonly Driver[]): Driver | undefined {
  const name = driverType.slice(driverType.indexOf('/') + 1)
  return (
    drivers.find(({ org_id, id }) => `${org_id}/${id}` === driverType) ??
    drivers.find(({ id, target }) => id === (name === 'static' ? 'echo' : name) && target === undefined)
  )
}

/** Pointers of the secrets that are stored. */
export function storedSecrets(references: unknown, at = '/secrets'): string[] {
  if (!isObject(references)) return []
  return Object.entries(references).flatMap(([key, each]) => {
    const pointer = memberPointer(at, key)
    return isSecret(each) ? [pointer] : storedSecrets(each, pointer)
  })
}

/** Whether a stored member is a secret, as a reference or a text, rather than a map of secrets. */
function isSecret(stored: unknown): boolean {
  if (!isObject(stored)) return stored !== undefined
  const { ref, value } = stored
  return typeof ref === 'string' || (value !== undefined && value !== null && !isObject(value))
}

/** References for a request: those that are stored, and the values that were entered instead of some of them. */
export function mergeSecrets(stored: unknown, entered: unknown): FreeForm {
  const before = isObject(stored) && !isSecret(stored) ? Object.entries(stored) : []
  const given = isObject(entered) ? Object.entries(entered) : []
  return Object.fromEntries([
    ...before,
    ...given.map(([key, value]) => {
      const known = before.find(([name]) => name === key)?.[1]
      return [key, isObject(value) ? mergeSecrets(known, value) : { value }] as const
    }),
  ])
}
