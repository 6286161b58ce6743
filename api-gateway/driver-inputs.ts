import type { FreeForm } from '../operator/api/schema.ts'
import { driverOf, faultsOfInputs, unreadLeaves } from '../operator/domain/definition.ts'
import type { DriverDescriptor } from '../operator/domain/driver.ts'
import { Problem } from '../operator/domain/errors.ts'

/** Inputs of a definition as far as they are known when it is written. */
interface KnownInputs {
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
  return (driverType, { values = {}, secrets, secretRefs = {} }) => {
    const descriptor = driverOf(driverType, catalogue, vendors)
    if (!descriptor) return
    const faults = faultsOfInputs(descriptor, { values, secrets: secrets ?? unreadLeaves(secretRefs) })
    if (faults.length > 0) throw new Problem('Invalid', faults.join('; '))
  }
}
