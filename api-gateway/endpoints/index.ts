import type { Endpoint } from '../endpoint.ts'
import { accountChecks } from './account-check.ts'
import { accounts } from './accounts.ts'
import { activeResourceDeletion } from './active-resource-deletion.ts'
import { activeResources } from './active-resources.ts'
import { applicationUsers } from './application-users.ts'
import { applications } from './applications.ts'
import { auditLogs } from './audit-logs.ts'
import { currentUser } from './current-user.ts'
import { definitionVersions } from './definition-versions.ts'
import { definitions } from './definitions.ts'
import { deltas } from './deltas.ts'
import { deployments } from './deployments.ts'
import { drivers } from './drivers.ts'
import { environmentChanges } from './environment-changes.ts'
import { environmentTypeUsers } from './environment-type-users.ts'
import { environmentTypes } from './environment-types.ts'
import { environments } from './environments.ts'
import { events } from './events.ts'
import { explanations } from './explain.ts'
import { graphs } from './graphs.ts'
import { oidc } from './oidc.ts'
import { organizations } from './organizations.ts'
import { pipelineRuns } from './pipeline-runs.ts'
import { resourceClasses } from './resource-classes.ts'
import { resourceTypes } from './resource-types.ts'
import { runtime } from './runtime.ts'
import { service } from './service.ts'
import { sessions } from './sessions.ts'
import { sets } from './sets.ts'
import { userPermissions } from './user-permissions.ts'
import { userTokens } from './user-tokens.ts'
import { users } from './users.ts'
import { valueSetVersions } from './value-set-versions.ts'
import { values } from './values.ts'
import { webhookCalls } from './webhook-calls.ts'
import { webhooks } from './webhooks.ts'

/** All operations of the REST interface. */
export const endpoints: readonly Endpoint[] = [
  ...organizations,
  ...environmentTypes,
  ...applications,
  ...environments,
  ...environmentChanges,
  ...resourceTypes,
  ...resourceClasses,
  ...accounts,
  ...accountChecks,
  ...drivers,
  ...definitions,
  ...definitionVersions,
  ...deltas,
  ...sets,
  ...deployments,
  ...pipelineRuns,
  ...runtime,
  ...activeResources,
  ...activeResourceDeletion,
  ...explanations,
  ...graphs,
  ...values,
  ...valueSetVersions,
  ...webhooks,
  ...webhookCalls,
  ...events,
  ...auditLogs,
  ...currentUser,
  ...users,
  ...userPermissions,
  ...applicationUsers,
  ...environmentTypeUsers,
  ...userTokens,
  ...sessions,
  ...oidc,
  ...service,
]
