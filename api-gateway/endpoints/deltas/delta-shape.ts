import type { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { annotations } from '../../../operator/api/names.ts'
import {
  anyValue,
  boolean,
  freeForm,
  list,
  map,
  object,
  oneOf,
  string,
  time,
} from '../../../operator/api/schema.ts'
import { deltaContent } from '../../../operator/domain/delta/delta.ts'
import { shortId } from '../../request/parameters.ts'
import { named, nullable } from '../../response/shapes.ts'
import { createdAt, createdBy } from '../common/find.ts'

/** A patch operation as REST shows it. */
const operationShape = named(
  'PatchOperation',
  object(
    {
      op: oneOf(['add', 'replace', 'remove'], 'What to do.'),
      path: string('JSON pointer; at most 64 steps.', { maxLength: 2048 }),
    },
    { value: anyValue('The value to add or to replace with.') },
    'One patch operation.',
  ),
)

/** Changes of workloads as REST shows them. */
const modulesShape = object(
  {
    add: map(freeForm('A module.'), 'Workloads to add or to replace, by id.'),
    remove: list(string('A workload id.', { maxLength: 63 }), 'Workloads to remove.'),
    update: map(list(operationShape, 'Operations.'), 'Changes of workloads that exist, by id.'),
  },
  {},
  'Changes of the workloads.',
)

/** Changes as a request spells them. */
export const changesRequest = named(
  'DeltaRequest',
  object(
    {},
    {
      id: string('Ignored.'),
      metadata: object(
        {},
        { env_id: shortId('Environment that the draft is meant for.'), name: string('Name for people.') },
        'Taken from a new delta, ignored in a change.',
      ),
      modules: object(
        {},
        {
          add: map(
            nullable(freeForm('A module; null takes back a pending removal.')),
            'Workloads to add or to replace, by id.',
          ),
          remove: list(string('A workload id.', { maxLength: 63 }), 'Workloads to remove.'),
          update: map(
            list(operationShape, 'Operations on the module.'),
            'Changes of workloads that exist, by id.',
          ),
        },
        'Changes of the workloads.',
      ),
      shared: list(operationShape, 'Operations on the shared dependencies.'),
    },
    'Changes to an application environment.',
  ),
)

/** A delta as REST shows it. */
export const deltaShape = named(
  'Delta',
  object(
    {
      id: string('Delta id.'),
      metadata: object(
        {
          created_by: string('User id of who made it; empty when it was not made over REST.'),
          created_at: time('When it was made.'),
          last_modified_at: time('When it was last changed.'),
          archived: boolean('Whether it is put away.'),
        },
        {
          env_id: string('Environment that it is meant for.'),
          name: string('Name for people.'),
          contributers: list(string('A user id.'), 'Users who changed it.'),
        },
        'About the delta.',
      ),
      modules: modulesShape,
      shared: list(operationShape, 'Operations on the shared dependencies.'),
    },
    {},
    'A draft of changes to an application environment.',
  ),
)

/** What makes one set of another, as REST shows it. */
export const plainDeltaShape = named(
  'PlainDelta',
  object(
    { modules: modulesShape, shared: list(operationShape, 'Operations on the shared dependencies.') },
    {},
    'The changes that make one deployment set of another.',
  ),
)

/** A delta in the shape of REST. */
export function toDelta(delta: DeploymentDelta) {
  const { metadata, spec } = delta
  const { modules, shared } = deltaContent(spec)
  const contributors = metadata.annotations?.[annotations.contributors]?.split(',').filter(Boolean)
  return {
    id: metadata.name,
    metadata: {
      created_by: createdBy(delta),
      created_at: createdAt(delta),
      last_modified_at: metadata.annotations?.[annotations.lastModifiedAt] ?? createdAt(delta),
      archived: spec.archived ?? false,
      ...(spec.environmentId === undefined ? {} : { env_id: spec.environmentId }),
      ...(spec.displayName === undefined ? {} : { name: spec.displayName }),
      ...(contributors ? { contributers: contributors } : {}),
    },
    modules,
    shared,
  }
}
