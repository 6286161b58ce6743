import { ResourceType } from '../api/resource-type.ts'
import { throwFaults } from '../domain/base/fault.ts'
import { faultOfPartedSchema, faultOfSchema } from '../domain/schema/user-schema.ts'
import type { Controller } from '../kube/loop/controller.ts'
import { nextTurn } from '../kube/loop/pace.ts'

/** Checks the schemas of a custom type. */
export const resourceTypeController: Controller<typeof ResourceType> = {
  kind: ResourceType,
  async reconcile({ spec: { inputsSchema = {}, outputsSchema = {} } }) {
    const ofInputs = faultOfSchema(inputsSchema)
    // Each check may take long: other work runs between them.
    await nextTurn()
    const ofOutputs = faultOfPartedSchema(outputsSchema)
    const messages = [
      ...(ofInputs === undefined ? [] : [`'inputsSchema' ${ofInputs}`]),
      ...(ofOutputs === undefined ? [] : [`'outputsSchema' ${ofOutputs}`]),
    ]
    throwFaults(messages.map((message) => ({ reason: 'InvalidSchema', message })))
    return {}
  },
}
