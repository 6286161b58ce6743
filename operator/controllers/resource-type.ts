import { ResourceType } from '../api/resource-type.ts'
import { faultsFor, throwFaults } from '../domain/base/fault.ts'
import { faultOfPartedSchema, faultOfSchema } from '../domain/schema/user-schema.ts'
import type { Controller } from '../kube/loop/controller.ts'
import { nextTurn } from '../kube/loop/pace.ts'

/** Judges the schemas of a custom type; one of the name of a built-in type overrides it. */
export const resourceTypeController: Controller<typeof ResourceType> = {
  kind: ResourceType,
  async reconcile({ spec: { inputsSchema = {}, outputsSchema = {} } }) {
    const ofInputs = faultOfSchema(inputsSchema)
    // Each may take long.
    await nextTurn()
    const ofOutputs = faultOfPartedSchema(outputsSchema)
    const messages = [
      ...(ofInputs === undefined ? [] : [`'inputsSchema' ${ofInputs}`]),
      ...(ofOutputs === undefined ? [] : [`'outputsSchema' ${ofOutputs}`]),
    ]
    throwFaults(faultsFor('InvalidSchema', messages))
    return {}
  },
}
