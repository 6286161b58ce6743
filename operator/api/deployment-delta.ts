import { defineKind, fixedFields, type ObjectOf } from './kind.ts'
import { anyValue, boolean, freeForm, id, list, map, object, oneOf, type Static, string } from './schema.ts'

/** One patch operation, the subset `add`, `replace`, `remove` of RFC 6902. */
export const patchOperationSchema = object(
  {
    op: oneOf(['add', 'replace', 'remove'], 'Operation: add a value, replace a value or remove a value.'),
    path: string('JSON pointer (RFC 6901) to the target of the operation, with at most 64 steps.', {
      maxLength: 2048,
    }),
  },
  {
    value: anyValue(
      'Value to add or to replace with. On a `remove`, `{"scope": "delta"}` cancels pending operations of the delta and does not change the deployed set.',
    ),
  },
  'One patch operation.',
)
export type PatchOperation = Static<typeof patchOperationSchema>

/** Changes of workloads, by workload id. */
export const moduleChangesSchema = object(
  {},
  {
    add: map(freeForm('A module: `profile`, `spec` and `externals`.'), 'Workloads to add or replace, by id.'),
    remove: list(string('A workload id.', { maxLength: 63 }), 'Ids of the workloads to remove.'),
    update: map(
      list(patchOperationSchema, 'Operations on the module, applied in order.'),
      'Changes of existing workloads, by id.',
    ),
  },
  'Changes of workloads. Removals apply first, then additions, then updates.',
)
export type ModuleChanges = Static<typeof moduleChangesSchema>

export const DeploymentDelta = defineKind({
  kind: 'DeploymentDelta',
  plural: 'deploymentdeltas',
  shortName: 'qmdelta',
  inCategory: false,
  description:
    'A draft of changes to an environment: workloads and shared dependencies to add, change and remove. A deployment applies it.',
  spec: object(
    { applicationName: id('Application of the delta. Immutable.') },
    {
      environmentId: id('Id of the environment, within the application, that the delta is meant for.'),
      // Has the length of the comment of a deployment, because clients write a message in both.
      displayName: string('Display name.', { maxLength: 8192 }),
      archived: boolean(
        'Whether the delta is archived. The REST API does not change archived deltas. Defaults to false.',
      ),
      modules: moduleChangesSchema,
      shared: list(
        patchOperationSchema,
        'Operations on the shared dependencies, applied in order. Paths begin with `/<dependency id>`.',
      ),
    },
    'Changes of the delta.',
  ),
  selectableFields: ['.spec.applicationName'],
  columns: [
    { name: 'Application', jsonPath: '.spec.applicationName' },
    { name: 'Environment', jsonPath: '.spec.environmentId' },
    { name: 'Archived', jsonPath: '.spec.archived', type: 'boolean' },
  ],
  rules: [fixedFields('applicationName')],
})
export type DeploymentDelta = ObjectOf<typeof DeploymentDelta>
