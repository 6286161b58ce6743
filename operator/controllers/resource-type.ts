import { ResourceType } from '../api/resource-type.ts'
import { Stalled } from '../domain/errors.ts'
import { faultOfPartedSchema, faultOfSchema } from '../domain/user-schema.ts'
import type { Controller } from '../kube/controller.ts'

/** Judges the schemas of a custom type; one of the name of a built-in type overrides it. */
export const resourceTypeController: Controller<typeof ResourceType> = {
  kind: ResourceType,
  async reconcile({ spec: { inputsSchema = {}, outputsSchema = {} } }) {
    const ofInputs = faultOfSchema(inputsSchema)
    const ofOutputs = faultOfPartedSchema(outputsSchema)
    const faults = [
      ...(ofInputs === undefined ? [] : [`'inputsSchema' ${ofInputs}`]),
      ...(ofOutputs === undefined ? [] : [`'outputsSchema' ${ofOutputs}`]),
    ]
    if (faults.length > 0) throw new Stalled('InvalidSchema', faults.join('; '))
    return {}
  },
}
