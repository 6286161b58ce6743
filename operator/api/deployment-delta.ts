import { defineKind, type ObjectOf } from './kind.ts'
import { anyValue, boolean, freeForm, id, list, map, object, oneOf, type Static, string } from './schema.ts'

/** One patch operation, the subset `add`, `replace`, `remove` of RFC 6902. */
export const patchOperationSchema = object(
  {
    op: oneOf(['add', 'replace', 'remove'], 'What to do.'),
    path: string('JSON pointer to what it is done to; at most 64 steps.', { maxLength: 2048 }),
  },
  {
    value: anyValue(
      'The value to add or to replace with; on a `remove`, `{"scope": "delta"}` only cancels pending operations.',
    ),
  },
  'One patch operation.',
)
export type PatchOperation = Static<typeof patchOperationSchema>

/** Changes of workloads, by workload id. */
export const moduleChangesSchema = object(
  {},
  {
    add: map(
      freeForm('A module: `profile`, `spec` and `externals`.'),
      'Workloads to add or to replace, by id.',
    ),
    remove: list(string('A workload id.', { maxLength: 63 }), 'Workloads to remove.'),
    update: map(
      list(patchOperationSchema, 'Operations on the module, in order.'),
      'Changes of workloads that exist, by id.',
    ),
  },
  'Changes of the workloads.',
)
export type ModuleChanges = Static<typeof moduleChangesSchema>

export const DeploymentDelta = defineKind({
  kind: 'DeploymentDelta',
  plural: 'deploymentdeltas',
  shortName: 'qmdelta',
  inCategory: false,
  description:
    'A draft of changes to an application environment: workloads and shared dependencies to add, change and remove.',
  spec: object(
    { applicationName: id('Application that the delta is for. Cannot be changed.') },
    {
      environmentId: id('Id, within the application, of the environment that the draft is meant for.'),
      displayName: string('Name for people.'),
      archived: boolean('Whether the delta is put away and refuses changes over REST. False when absent.'),
      modules: moduleChangesSchema,
      shared: list(
        patchOperationSchema,
        'Operations on the shared dependencies; paths are `/<resource-id>`.',
      ),
    },
    'The changes.',
  ),
  columns: [
    { name: 'Application', jsonPath: '.spec.applicationName' },
    { name: 'Environment', jsonPath: '.spec.environmentId' },
    { name: 'Archived', jsonPath: '.spec.archived', type: 'boolean' },
  ],
  rules: [
    {
      rule: 'self.spec.applicationName == oldSelf.spec.applicationName',
      message: 'applicationName cannot be changed',
    },
  ],
})
export type DeploymentDelta = ObjectOf<typeof DeploymentDelta>
