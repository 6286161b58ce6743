import { reason } from './text.ts'

/** Why the pods of a workload do not run yet, or cannot. */
export const rolloutReasons = {
  ContainerNotStarted: reason(
    'A container cannot be started.',
    'Correct what the message names, such as a missing key or an image that runs as root, then deploy again.',
  ),
  CrashLoopBackOff: reason(
    'A container ends again and again; the message has its last exit code and its termination message.',
    'Read its log with `kubectl logs --previous`, correct the workload, then deploy again.',
  ),
  ImagePullBackOff: reason(
    'An image cannot be pulled.',
    'Correct the name of the image, or the credentials of the registry.',
  ),
  JobFailed: reason('The Job of the workload failed.', 'Read the log of its pods, then deploy again.'),
  PodQuotaExceeded: reason(
    'A ResourceQuota of the namespace allows no more pods, or no more of their resources.',
    'Lower the requests of the workload, or ask the cluster administrator to raise the quota.',
  ),
  PodsRefused: reason(
    'The cluster refuses to make the pods.',
    'Correct what the message names, such as a field that the Pod Security level of the namespace forbids.',
  ),
  ProgressDeadlineExceeded: reason(
    'The pods are not ready within the deadline of the Deployment.',
    'Look at the readiness probes and the log of the pods.',
  ),
  Unschedulable: reason(
    'No node can run the pods.',
    'Lower the requests of the workload, change its constraints, or add nodes.',
  ),
}
