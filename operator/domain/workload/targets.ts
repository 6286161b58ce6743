import type { Environment } from '../../api/environment.ts'
import type { EnvironmentSelector, Workload } from '../../api/workload.ts'
import { ownValue } from '../base/json.ts'

type Labelled = Pick<Environment, 'metadata' | 'spec'>

/** Id of an environment within its application, by its name. */
export function environmentIdOf({ metadata, spec }: Labelled): string {
  return metadata.name.slice(spec.applicationName.length + 1)
}

/** Whether a workload is meant to run in an environment of its application: it names it, or selects its labels. */
export function isTarget({ spec }: Pick<Workload, 'spec'>, environment: Labelled): boolean {
  const { environmentIds = [], environmentSelector } = spec
  if (environment.spec.applicationName !== spec.applicationName) return false
  if (environmentIds.includes(environmentIdOf(environment))) return true
  return environmentSelector !== undefined && selects(environmentSelector, environment.metadata.labels ?? {})
}

/** Whether a selector fits labels, as selectors of Kubernetes do. */
export function selects(
  { matchLabels = {}, matchExpressions = [] }: EnvironmentSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => ownValue(labels, key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = ownValue(labels, key)
      if (operator === 'Exists') return value !== undefined
      if (operator === 'DoesNotExist') return value === undefined
      return (value !== undefined && values.includes(value)) === (operator === 'In')
    })
  )
}
