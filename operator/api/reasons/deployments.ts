import { reason } from './text.ts'

/** Why a deployment waits or fails, and the problems of its plan. */
export const deploymentReasons = {
  AlreadyRan: reason(
    'A deployment of the same name and content ran before, so it is not repeated.',
    'Create a deployment with another name to run it again.',
  ),
  BaseChanged: reason(
    'Another deployment changed the deployed set, or the environment was set to start from another one, after this deployment was requested, which would undo that.',
    'Deploy again.',
  ),
  BaseNotFound: reason(
    'The deployment set that the deployment builds on does not exist.',
    'Deploy a set instead, or start from another deployment.',
  ),
  ConflictingNames: reason(
    'Two workloads would make objects of the same name.',
    'Rename one of the workloads, or its schedule.',
  ),
  ConflictingParams: reason(
    'Two dependencies on the same resource give different params.',
    'Give the same params, or use different ids.',
  ),
  ConflictingPath: reason(
    'Two workloads use the same path of the same host.',
    'Change the path of one of the workloads.',
  ),
  Cycle: reason(
    'Resources depend on each other in a circle.',
    'Remove one of the references that the message lists.',
  ),
  DeadlineExceeded: reason(
    'The deployment did not finish within the time limit.',
    'Look at the resources that the message names, then deploy again.',
  ),
  DeltaNotFound: reason(
    'The delta that the deployment names does not exist.',
    'Create the delta, or name another one.',
  ),
  DeploymentFailed: reason(
    'The deployment has several problems.',
    'Read the list of problems in the status.',
  ),
  DeploymentInProgress: reason(
    'Another deployment to the same environment comes before this one.',
    'Wait until the deployment that the message names is finished.',
  ),
  DeploymentTooLarge: reason(
    'The deployment is larger than the cluster can store.',
    'Split the deployment, or shorten what the message names.',
  ),
  EnvironmentDeleted: reason(
    'The environment is being deleted, or was deleted and created again after the deployment.',
    'Create the environment again if it is gone, then deploy again.',
  ),
  IncompatibleDelta: reason(
    'The delta does not apply to the current deployment set.',
    'Change the operations of the delta that the message names.',
  ),
  Invalid: reason('A value breaks a rule.', 'Correct the value that the message names.'),
  InvalidDependency: reason(
    'A dependency of a workload is incomplete, or a part of it has another form than it must have.',
    'Correct the part of the dependency that the message names.',
  ),
  InvalidModule: reason(
    'A field of a workload is not known, or its value does not fit.',
    'Correct the field that the message names; docs/workloads.md lists all fields.',
  ),
  InvalidParams: reason(
    'The params of a dependency do not fit the inputs schema of the resource type.',
    'Correct the params that the message names.',
  ),
  MoreProblems: reason(
    'Further problems exist and are not listed.',
    'Correct the listed problems, then deploy again.',
  ),
  NoMatchingDefinition: reason(
    'No resource definition fits the resource in this environment.',
    'Add a definition or a criterion; the message lists the nearest definitions, if any comes near.',
  ),
  NotPlannable: reason(
    'The plan has problems, and the objects that it needs may still arrive.',
    'Apply the missing objects, or correct the delta, within the waiting time.',
  ),
  NotRemembered: reason('The environment has not recorded the deployment yet.', 'Nothing to do.'),
  PlanningFailed: reason(
    'An unexpected error ended the planning.',
    'Report it with the log of the operator.',
  ),
  QuotaExceeded: reason(
    'A ResourceQuota of the namespace does not allow more objects of this kind.',
    'Delete objects that are not needed, or ask the cluster administrator to raise the limit.',
  ),
  ResourceTooLarge: reason(
    'The inputs of a resource are larger than the cluster can store.',
    'Shorten the inputs of the definition or the workload.',
  ),
  OwnedByWorkload: reason(
    'The deployment changes a module that belongs to a Workload.',
    'Change the Workload that the message names, or delete it first.',
  ),
  SecretParameter: reason(
    'A param uses a secret, and params are never secret.',
    'Use the secret in the secret inputs of a definition.',
  ),
  ServiceNotFound: reason(
    'A placeholder names the Service of a workload that has no ports.',
    'Give the workload that the problem names ports in `service`, or correct the name of the workload.',
  ),
  SetNotFound: reason(
    'The deployment set that a deployment names, or that is deployed, does not exist.',
    'Create the set, or name another one; the operator restores one that is deployed.',
  ),
  StartRemains: reason(
    'An environment still has to record the set of the deployment that it starts from.',
    'Look at the environment that the message names.',
  ),
  TooDeep: reason('A value is nested too deeply.', 'Reduce the nesting of the value that the problem names.'),
  TooLarge: reason('A value is larger than allowed.', 'Shorten the value that the message names.'),
  TooManyDeployments: reason(
    'The environment cannot record more deleted deployments.',
    'Deploy over REST, or keep the deployment objects.',
  ),
  TooManyEnvironments: reason(
    'The Workload selects more environments than it can run in; the message names those that are left out.',
    'Select fewer environments, or use a second Workload for the others.',
  ),
  TooManyResources: reason(
    'The resource graph is larger than allowed.',
    'Split the application, or remove co-provisioned resources.',
  ),
  TypeNotDirect: reason(
    'A workload asks for a type that only definitions may use.',
    'Use another type, or change the `use` of the type.',
  ),
  UnknownDependency: reason(
    'A placeholder names a dependency that the workload does not have.',
    'Add the dependency, or correct the placeholder.',
  ),
  UnknownOutput: reason(
    'A placeholder names an output that the resource does not have.',
    'Correct the name; the message suggests a similar one.',
  ),
  UnknownValue: reason(
    'A placeholder names a shared value that does not exist.',
    'Create the value, or correct the placeholder.',
  ),
  UnknownWorkload: reason(
    'A placeholder names a workload that does not exist.',
    'Correct the name of the workload.',
  ),
}
