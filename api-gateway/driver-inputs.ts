import type { FreeForm } from '../operator/api/schema.ts'
import type { DriverDescriptor } from '../operator/domain/driver.ts'
import { isObject } from '../operator/domain/json.ts'
import { createInputsCheck } from './validate.ts'
import { plainSchema } from './wire.ts'

/** Inputs of a definition as far as they are known when it is written. */
export interface KnownInputs {
  readonly values?: FreeForm
  readonly secrets?: FreeForm
  readonly secretRefs?: FreeForm
}

/** Refuses inputs that a driver of ours would not take; those of any other driver are its own affair. */
export type DriverInputsCheck = (driverType: string, inputs: KnownInputs) => void

/** A check by the schemas of the catalogue. */
export function createDriverInputsCheck(
  catalogue: readonly DriverDescriptor[],
  vendors: readonly string[],
): DriverInputsCheck {
  const checks = new Map(
    catalogue.map(({ name, values, secrets }) => [
      name,
      {
        values: createInputsCheck(plainSchema(values), 'values'),
        secrets: createInputsCheck(plainSchema(secrets), 'secrets'),
      },
    ]),
  )
  return (driverType, { values = {}, secrets, secretRefs = {} }) => {
    const [vendor = '', name = ''] = driverType.split('/')
    const check = vendors.includes(vendor) ? checks.get(name) : undefined
    check?.values(values)
    check?.secrets(secrets ?? asPlaceholders(secretRefs))
  }
}

/** What a reference names is not known here: it passes like a placeholder. */
function asPlaceholders(refs: FreeForm): FreeForm {
  return Object.fromEntries(
    Object.entries(refs).map(([key, value]) => {
      const isLeaf =
        !isObject(value) || typeof value['secret'] === 'string' || typeof value['ref'] === 'string'
      return [key, isLeaf ? '${secret}' : asPlaceholders(value)]
    }),
  )
}
