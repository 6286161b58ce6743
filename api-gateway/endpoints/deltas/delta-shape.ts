import type { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { annotations } from '../../../operator/api/names.ts'
import {
  anyValue,
  boolean,
  freeForm,
  id,
  list,
  map,
  object,
  oneOf,
  string,
  time,
} from '../../../operator/api/schema.ts'
import { deltaContent } from '../../../operator/domain/delta/delta.ts'
import { named, nullable } from '../../response/shapes.ts'
import { changedAt, changedAtField } from '../common/changed-at.ts'
import { createdAt, createdBy } from '../common/find.ts'

const operationShape = named(
  'PatchOperation',
  object(
    {
      op: oneOf(['add', 'replace', 'remove'], 'Operation.'),
      path: string('JSON pointer of at most 64 steps.', { maxLength: 2048 }),
    },
    { value: anyValue('Value to add or to replace with.') },
    'A patch operation.',
  ),
)

const modulesShape = object(
  {
    add: map(freeForm('A module.'), 'Modules to add or replace, by workload ID.'),
    // A set that kubectl applied may have longer names, which a difference from it lists.
    remove: list(string('A workload ID.'), 'IDs of the workloads to remove.'),
    update: map(
      list(operationShape, 'Patch operations.'),
      'Patch operations on existing modules, by workload ID.',
    ),
  },
  {},
  'Changes to the workloads.',
)

/** Has the length of the comment of a deployment, because clients write a message in both. */
export const nameShape = string('Display name.', { maxLength: 8192 })

/** Metadata that clients send back as they were answered. */
const shownMetadata = ['created_by', 'created_at', 'last_modified_at', 'archived', 'shared', 'contributers']
const shownField = { ...anyValue('As in responses. Not read.'), readOnly: true }

/** Changes in a request. */
export const changesRequest = named(
  'DeltaRequest',
  object(
    {},
    {
      id: string('Ignored.'),
      metadata: object(
        {},
        {
          env_id: id('ID of the environment that the delta is for.'),
          name: nameShape,
          ...Object.fromEntries(shownMetadata.map((field) => [field, shownField])),
        },
        'Metadata. Used when a delta is created, ignored when it is changed.',
      ),
      modules: object(
        {},
        {
          add: map(
            nullable(freeForm('A module. `null` cancels a pending removal.')),
            'Modules to add or replace, by workload ID.',
          ),
          remove: list(string('A workload ID.', { maxLength: 63 }), 'IDs of the workloads to remove.'),
          update: map(
            list(operationShape, 'Patch operations on the module.'),
            'Patch operations on existing modules, by workload ID.',
          ),
        },
        'Changes to the workloads.',
      ),
      shared: list(operationShape, 'Patch operations on the shared dependencies.'),
    },
    'Changes to an application environment.',
  ),
)

/** Delta in responses. */
export const deltaShape = named(
  'Delta',
  object(
    {
      id: string('Delta ID.'),
      metadata: object(
        {
          created_by: string(
            'ID of the user who created it through the REST API. Empty if it was created in another way.',
          ),
          created_at: time('Time when it was created.'),
          last_modified_at: changedAtField,
          archived: boolean('Whether the delta is archived.'),
        },
        {
          env_id: string('ID of the environment that the delta is for.'),
          name: nameShape,
          contributers: list(string('A user ID.'), 'IDs of the users who changed the delta.'),
        },
        'Metadata.',
      ),
      modules: modulesShape,
      shared: list(operationShape, 'Patch operations on the shared dependencies.'),
    },
    {},
    'A draft of changes to an application environment.',
  ),
)

/** Difference of two deployment sets in responses. */
export const plainDeltaShape = named(
  'PlainDelta',
  object(
    { modules: modulesShape, shared: list(operationShape, 'Patch operations on the shared dependencies.') },
    {},
    'Changes from one deployment set to another.',
  ),
)

/** Converts a delta for a response. */
export function toDelta(delta: DeploymentDelta) {
  const { metadata, spec } = delta
  const { modules, shared } = deltaContent(spec)
  const contributors = metadata.annotations?.[annotations.contributors]?.split(',').filter(Boolean)
  return {
    id: metadata.name,
    metadata: {
      created_by: createdBy(delta),
      created_at: createdAt(delta),
      last_modified_at: changedAt(delta),
      archived: spec.archived ?? false,
      env_id: spec.environmentId,
      name: spec.displayName,
      contributers: contributors,
    },
    modules,
    shared,
  }
}
