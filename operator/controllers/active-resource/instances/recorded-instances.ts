import type { ActiveResource, ProvisionedInstance } from '../../../api/active-resource.ts'

/** The instances that a status records, the current one last. */
export function recordedInstances({ status }: Pick<ActiveResource, 'status'>): ProvisionedInstance[] {
  const { provisioned, predecessors = [] } = status ?? {}
  return [...predecessors, ...(provisioned ? [provisioned] : [])]
}
