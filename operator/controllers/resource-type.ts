import { ResourceType } from '../api/resource-type.ts'
import { throwProblems } from '../domain/base/object-problem.ts'
import { problemOfPartedSchema, problemOfSchema } from '../domain/schema/user-schema.ts'
import type { Controller } from '../kube/loop/controller.ts'
import { nextTurn } from '../kube/loop/pace.ts'

/** Judges the schemas of a custom type; one of the name of a built-in type overrides it. */
export const resourceTypeController: Controller<typeof ResourceType> = {
  kind: ResourceType,
  async reconcile({ spec: { inputsSchema = {}, outputsSchema = {} } }) {
    const ofInputs = problemOfSchema(inputsSchema)
    // Each may take long.
    await nextTurn()
    const ofOutputs = problemOfPartedSchema(outputsSchema)
    const messages = [
      ...(ofInputs === undefined ? [] : [`'inputsSchema' ${ofInputs}`]),
      ...(ofOutputs === undefined ? [] : [`'outputsSchema' ${ofOutputs}`]),
    ]
    throwProblems(messages.map((message) => ({ reason: 'InvalidSchema', message })))
    return {}
  },
}
