import type { FreeForm } from '../operator/api/schema.ts'
import { Problem } from '../operator/domain/base/errors.ts'
import { driverOf, problemsOfInputs } from '../operator/domain/definition/definition.ts'
import { unreadLeaves } from '../operator/domain/secret/secret-inputs.ts'
import type { Planning } from '../operator/planning/planning.ts'

/** Inputs of a definition as far as they are known when it is written. */
interface KnownInputs {
  readonly values?: FreeForm
  readonly secrets?: FreeForm
  readonly secretRefs?: FreeForm
}

/** Refuses inputs that the driver would not take; those of a driver that is not known yet are judged later. */
export type DriverInputsCheck = (organization: string, driverType: string, inputs: KnownInputs) => void

/** A check by what the descriptors say. */
export function createDriverInputsCheck(
  planning: Pick<Planning, 'catalogueOf'>,
  vendors: readonly string[],
  now: () => number,
): DriverInputsCheck {
  return (organization, driverType, { values = {}, secrets, secretRefs = {} }) => {
    const descriptor = driverOf(driverType, planning.catalogueOf(organization), vendors)
    if (!descriptor) return
    const ofForm = problemsOfInputs(descriptor, { values, secrets: secrets ?? unreadLeaves(secretRefs) })
    const faults =
      ofForm.length > 0
        ? ofForm
        : (descriptor.check?.({ values, secrets: secrets ?? {} }, now()).problems ?? [])
    if (faults.length > 0) throw new Problem('Invalid', faults.join('; '))
  }
}
