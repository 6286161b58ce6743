import type { FreeForm } from '../operator/api/schema.ts'
import { Problem } from '../operator/domain/base/errors.ts'
import { driverOf, problemsOfInputs } from '../operator/domain/definition/definition.ts'
import { unreadLeaves } from '../operator/domain/secret/secret-inputs.ts'
import type { Planning } from '../operator/planning/planning.ts'

/** Driver inputs of a definition that are known at the time of the request. */
interface KnownInputs {
  readonly values?: FreeForm
  readonly secrets?: FreeForm
  readonly secretRefs?: FreeForm
}

/** Throws Invalid if the driver rejects the inputs. The operator checks inputs of unknown drivers later. */
export type DriverInputsCheck = (organization: string, driverType: string, inputs: KnownInputs) => void

/** Creates a check that uses the driver descriptors. */
export function createDriverInputsCheck(
  planning: Pick<Planning, 'catalogueOf'>,
  vendors: readonly string[],
  now: () => number,
): DriverInputsCheck {
  return (organization, driverType, { values = {}, secrets, secretRefs = {} }) => {
    const descriptor = driverOf(driverType, planning.catalogueOf(organization), vendors)
    if (!descriptor) return
    const ofForm = problemsOfInputs(descriptor, { values, secrets: secrets ?? unreadLeaves(secretRefs) })
    const problems =
      ofForm.length > 0
        ? ofForm
        : (descriptor.check?.({ values, secrets: secrets ?? {} }, now()).problems ?? [])
    if (problems.length > 0) throw new Problem('Invalid', problems.join('; '))
  }
}
