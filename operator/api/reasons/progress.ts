import { reason } from './text.ts'

const nothing = 'Nothing to do.'

/** How far the work on an object is. */
export const progressReasons = {
  Pending: reason(
    'The operator has not reconciled the object yet.',
    'If it stays, check that the operator runs.',
  ),
  Progressing: reason('The work has begun and is not finished.', 'Wait; the message names the current step.'),
  Reconciled: reason('The cluster and the provider match the spec.', nothing),
  Failed: reason(
    'An unexpected error ended the last attempt.',
    'The operator retries; read its log if the error stays.',
  ),
  Batching: reason('The version waits a moment for others, so that one deployment has all of them.', nothing),
  CacheBehind: reason('The operator waits until its cache holds the latest changes.', nothing),
  StatusRejected: reason(
    'The cluster rejects the status that the operator writes.',
    'Check that the installed CRDs match the version of the operator.',
  ),
  DependencyNotReady: reason(
    'A resource that this one needs is not ready.',
    'Look at the resources that the message names; deploy the environment if one of them was deleted.',
  ),
  DependentsRemain: reason(
    'Resources that use this one are being deleted and must be deleted first.',
    'Look at the resources that the message names.',
  ),
  ResourceTerminating: reason(
    'The previous resource of the same identity is being deleted.',
    'Wait, or look at the resource that is being deleted.',
  ),
  FinalizersRemain: reason(
    'The deleted object is cleaned up, and other clients keep it by their finalizers.',
    'Look at the controllers that own the finalizers in the message; remove a finalizer whose controller is gone.',
  ),
  ObjectsRemain: reason(
    'Cluster objects of the resource are still being deleted.',
    'Check the finalizers of the objects that the message names.',
  ),
  SecretRemains: reason(
    'A Secret of the same name is being deleted.',
    'Check the finalizers of the Secret that the message names.',
  ),
  NamespaceTerminating: reason(
    'The namespace is being deleted.',
    'Wait, or check what blocks the deletion of the namespace.',
  ),
  NamespaceRemains: reason(
    'The namespace of the deleted environment still exists.',
    'Check what blocks the deletion of the namespace.',
  ),
  ResourcesRemain: reason(
    'Resources of the deleted environment are still being deprovisioned.',
    'Look at the resources that the message names; an administrator can detach a resource that cannot be deprovisioned.',
  ),
  DeploymentsRemain: reason(
    'Deployments of the deleted environment still exist.',
    'Wait, or check the finalizers of the deployments.',
  ),
  EnvironmentsRemain: reason(
    'Environments of the deleted application still exist.',
    'Look at the environments that the message names.',
  ),
  ModuleRemains: reason(
    'An environment still has the module of the deleted Workload.',
    'Look at the deployments to the environment that the message names.',
  ),
  CallsRemain: reason('Calls of the deleted webhook are still being delivered.', nothing),
  Unused: reason(
    'No workload uses the resource, and it was never provisioned.',
    'Delete the resource, or deploy a workload that uses it.',
  ),
  NotReferenced: reason(
    'No workload uses the resource any more; it is kept so that a rollback finds it.',
    'Delete the resource once it is no longer needed.',
  ),
  ForeignObjectsDeleted: reason(
    'The namespace of a deleted environment contained objects that no resource made; they are deleted with it.',
    'Keep such objects in another namespace, or make them by a resource.',
  ),
  Detached: reason(
    'The object was deleted, and its infrastructure was left in place.',
    'Remove or adopt the infrastructure that the message names.',
  ),
  Untrusted: reason(
    'The spec of the ActiveResource was not written by a deployment of this installation.',
    'Deploy the environment, or delete the object.',
  ),
}
