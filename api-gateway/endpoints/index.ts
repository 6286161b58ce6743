import type { Endpoint } from '../endpoint.ts'
import { activeResources } from './active-resources.ts'
import { applications } from './applications.ts'
import { definitions } from './definitions.ts'
import { deltas } from './deltas.ts'
import { deployments } from './deployments.ts'
import { environmentTypes } from './environment-types.ts'
import { environments } from './environments.ts'
import { organizations } from './organizations.ts'
import { resourceTypes } from './resource-types.ts'
import { service } from './service.ts'
import { sets } from './sets.ts'

/** All operations of the REST interface. */
export const endpoints: readonly Endpoint[] = [
  ...organizations,
  ...environmentTypes,
  ...applications,
  ...environments,
  ...resourceTypes,
  ...definitions,
  ...deltas,
  ...sets,
  ...deployments,
  ...activeResources,
  ...service,
]
