import { ResourceType } from '../api/resource-type.ts'
import { throwProblems } from '../domain/base/object-problem.ts'
import { warningsOfSchemas } from '../domain/schema/misspelt-keywords.ts'
import { problemOfPartedSchema, problemOfSchema } from '../domain/schema/user-schema.ts'
import type { Controller } from '../kube/loop/controller.ts'
import { nextTurn } from '../kube/loop/pace.ts'
import { warningsAs } from './shared/warnings.ts'

/** Checks the schemas of a custom type. */
export const resourceTypeController: Controller<typeof ResourceType> = {
  kind: ResourceType,
  async reconcile({ spec: { inputsSchema = {}, outputsSchema = {} } }) {
    const ofInputs = problemOfSchema(inputsSchema)
    // Each check may take long: other work runs between them.
    await nextTurn()
    const ofOutputs = problemOfPartedSchema(outputsSchema)
    const messages = [
      ...(ofInputs === undefined ? [] : [`'inputsSchema' ${ofInputs}`]),
      ...(ofOutputs === undefined ? [] : [`'outputsSchema' ${ofOutputs}`]),
    ]
    throwProblems(messages.map((message) => ({ reason: 'InvalidSchema', message })))
    return warningsAs('DoubtfulSchema', warningsOfSchemas({ inputsSchema, outputsSchema }))
  },
}
