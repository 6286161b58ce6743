import type { Endpoint } from '../endpoint.ts'
import { accountChecks } from './account-check.ts'
import { accounts } from './accounts.ts'
import { activeResourceDeletion } from './active-resource-deletion.ts'
import { activeResources } from './active-resources.ts'
import { applications } from './applications.ts'
import { definitions } from './definitions.ts'
import { deltas } from './deltas.ts'
import { deployments } from './deployments.ts'
import { drivers } from './drivers.ts'
import { environmentTypes } from './environment-types.ts'
import { environments } from './environments.ts'
import { events } from './events.ts'
import { explanations } from './explain.ts'
import { graphs } from './graphs.ts'
import { organizations } from './organizations.ts'
import { resourceClasses } from './resource-classes.ts'
import { resourceTypes } from './resource-types.ts'
import { service } from './service.ts'
import { sets } from './sets.ts'
import { webhookCalls } from './webhook-calls.ts'
import { webhooks } from './webhooks.ts'

/** All operations of the REST interface. */
export const endpoints: readonly Endpoint[] = [
  ...organizations,
  ...environmentTypes,
  ...applications,
  ...environments,
  ...resourceTypes,
  ...resourceClasses,
  ...accounts,
  ...accountChecks,
  ...drivers,
  ...definitions,
  ...deltas,
  ...sets,
  ...deployments,
  ...activeResources,
  ...activeResourceDeletion,
  ...explanations,
  ...graphs,
  ...webhooks,
  ...webhookCalls,
  ...events,
  ...service,
]
