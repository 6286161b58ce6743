import type { Application } from '../../../operator/api/application.ts'
import { boolean, list, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { objectName, shortId } from '../../request/parameters.ts'
import { named } from '../../response/shapes.ts'
import { statusMessageField, statusMessageOf } from '../active-resources/status-message.ts'
import {
  createdAt,
  createdBy,
  environmentIdOf,
  environmentsOf,
  lifecycleOf,
  resourcesOf,
} from '../common/find.ts'

/** Application in responses. */
export const applicationShape = named(
  'Application',
  object(
    {
      id: shortId('Application ID.'),
      name: string('Display name.'),
      org_id: objectName('Organization ID.'),
      created_at: time('Time when it was created.'),
      created_by: string(
        'ID of the user who created it through the REST API. Empty if it was created in another way.',
      ),
      status: oneOf(['active', 'deleting'], 'Whether it is being deleted.'),
      status_changed_at: time('Time when `status` last changed.'),
      envs: list(
        object(
          {
            id: objectName('Environment ID.'),
            name: string('Display name.'),
            type: string('Environment type.'),
          },
          {},
          'An environment.',
        ),
        'Environments of the application.',
      ),
    },
    statusMessageField,
    'An application of the organization.',
  ),
)

/** Request body for a new application. */
export const newApplicationShape = object(
  { id: shortId('ID of the new application.'), name: string('Display name.') },
  {
    env: object(
      {
        id: shortId('Environment ID.'),
        name: string('Display name.'),
        type: objectName('Environment type.'),
      },
      {},
      'First environment. When absent, an environment named `development` of the type `development` is created if that type exists and the caller may deploy to it.',
    ),
    skip_environment_creation: boolean('Whether to skip the creation of the default environment.'),
  },
  'An application.',
)

/** Converts an application for a response. */
export function toApplication(store: Store, application: Application) {
  const { metadata, spec } = application
  const environments = environmentsOf(store, application)
  return {
    id: metadata.name,
    name: spec.displayName ?? metadata.name,
    org_id: metadata.namespace,
    created_at: createdAt(application),
    created_by: createdBy(application),
    ...lifecycleOf(application),
    ...statusMessageOf(application, () => environments.flatMap((each) => resourcesOf(store, each))),
    envs: environments.map((each) => ({
      id: environmentIdOf(each),
      name: each.spec.displayName ?? environmentIdOf(each),
      type: each.spec.typeName,
    })),
  }
}
