import { AccessToken, Membership, User } from './access.ts'
import { ActiveResource } from './active-resource.ts'
import { Application } from './application.ts'
import { ArtefactVersion } from './artefact-version.ts'
import { AutomationRule } from './automation-rule.ts'
import { DeploymentDelta } from './deployment-delta.ts'
import { DeploymentSet } from './deployment-set.ts'
import { Environment } from './environment.ts'
import { EnvironmentDeployment } from './environment-deployment.ts'
import { EnvironmentType } from './environment-type.ts'
import type { Kind } from './kind.ts'
import { Registry } from './registry.ts'
import { ResourceAccount } from './resource-account.ts'
import { ResourceClass } from './resource-class.ts'
import { ResourceDefinition } from './resource-definition.ts'
import { ResourceDriver } from './resource-driver.ts'
import { ResourceType } from './resource-type.ts'
import { SharedValue } from './shared-value.ts'
import { Webhook, WebhookCall } from './webhook.ts'
import { Workload } from './workload.ts'

/** All kinds. */
export const kinds: readonly Kind[] = [
  Application,
  EnvironmentType,
  Environment,
  ResourceType,
  ResourceClass,
  ResourceDriver,
  ResourceAccount,
  ResourceDefinition,
  SharedValue,
  DeploymentDelta,
  DeploymentSet,
  Workload,
  EnvironmentDeployment,
  ActiveResource,
  Registry,
  ArtefactVersion,
  AutomationRule,
  Webhook,
  WebhookCall,
  User,
  AccessToken,
  Membership,
]

/** Kinds of the objects of an application, beside its environments. */
export const contentKinds: readonly Kind[] = [
  Workload,
  Webhook,
  SharedValue,
  AutomationRule,
  DeploymentDelta,
  DeploymentSet,
]
