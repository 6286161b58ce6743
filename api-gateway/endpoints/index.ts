import type { Endpoint } from '../endpoint.ts'
import { accountChecks } from './accounts/account-check.ts'
import { accounts } from './accounts/accounts.ts'
import { activeResourceDeletion } from './active-resources/active-resource-deletion.ts'
import { activeResourceDetails } from './active-resources/active-resource-details.ts'
import { activeResourceEvents } from './active-resources/active-resource-events.ts'
import { activeResources } from './active-resources/active-resources.ts'
import { explanations } from './active-resources/explain.ts'
import { graphs } from './active-resources/graphs.ts'
import { applicationUsers } from './applications/application-users.ts'
import { applications } from './applications/applications.ts'
import { artefactVersions } from './artefacts/artefact-versions.ts'
import { artefacts } from './artefacts/artefacts.ts'
import { images } from './artefacts/images.ts'
import { automationRules } from './automation-rules/automation-rules.ts'
import { auditLogs } from './common/audit-logs.ts'
import { service } from './common/service.ts'
import { definitionVersions } from './definitions/definition-versions.ts'
import { definitions } from './definitions/definitions.ts'
import { deltas } from './deltas/deltas.ts'
import { deployments } from './deployments/deployments.ts'
import { pipelineRuns } from './deployments/pipeline-runs.ts'
import { sets } from './deployments/sets.ts'
import { drivers } from './drivers/drivers.ts'
import { changes } from './environments/changes.ts'
import { environmentChanges } from './environments/environment-changes.ts'
import { environmentTypeUsers } from './environments/environment-type-users.ts'
import { environmentTypes } from './environments/environment-types.ts'
import { environments } from './environments/environments.ts'
import { registries } from './registries/registries.ts'
import { runtime } from './runtime/runtime.ts'
import { runtimeChanges } from './runtime/runtime-changes.ts'
import { score } from './score/score.ts'
import { oidc } from './sign-in/oidc.ts'
import { sessions } from './sign-in/sessions.ts'
import { resourceClasses } from './types/resource-classes.ts'
import { resourceTypes } from './types/resource-types.ts'
import { currentUser } from './users/current-user.ts'
import { organizations } from './users/organizations.ts'
import { userPermissions } from './users/user-permissions.ts'
import { userTokens } from './users/user-tokens.ts'
import { users } from './users/users.ts'
import { valueSetVersions } from './values/value-set-versions.ts'
import { values } from './values/values.ts'
import { events } from './webhooks/events.ts'
import { webhookCalls } from './webhooks/webhook-calls.ts'
import { webhooks } from './webhooks/webhooks.ts'

/** All operations of the REST API. */
export const endpoints: readonly Endpoint[] = [
  ...organizations,
  ...environmentTypes,
  ...applications,
  ...environments,
  ...environmentChanges,
  ...changes,
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
  ...score,
  ...artefacts,
  ...artefactVersions,
  ...images,
  ...automationRules,
  ...registries,
  ...runtime,
  ...runtimeChanges,
  ...activeResources,
  ...activeResourceDetails,
  ...activeResourceEvents,
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
