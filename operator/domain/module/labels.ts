import { group, labels, manager } from '../../api/names.ts'

/** The workload of a render. */
export interface WorkloadIdentity {
  /** Id of the workload in its application. */
  readonly id: string
  readonly guResId: string
  readonly applicationId: string
}

const prefix = 'app.kubernetes.io'

/** Label with the GUResID of the workload. */
export const instanceLabel = `${prefix}/instance`

/** The labels that select the pods of a workload. They never change. */
export function selectorLabels({ id, guResId }: Pick<WorkloadIdentity, 'id' | 'guResId'>) {
  return { [`${prefix}/name`]: id, [instanceLabel]: guResId }
}

/** The labels of the objects and pods of a workload. */
export function standardLabels(workload: WorkloadIdentity): Record<string, string> {
  return {
    ...selectorLabels(workload),
    [`${prefix}/part-of`]: workload.applicationId,
    [labels.managedBy]: manager,
  }
}

const reserved = new Set([`${prefix}/name`, instanceLabel, `${prefix}/part-of`, labels.managedBy])

/** Whether a module may not set the label or annotation. */
export function isReservedKey(key: string): boolean {
  return reserved.has(key) || key.startsWith(`${group}/`)
}

/** On pods: keyed hash of the content of the ConfigMap and Secrets that they use, so that a change replaces the pods. */
export const contentAnnotation = `${group}/content`
