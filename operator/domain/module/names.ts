import { hash } from 'node:crypto'
import { canonicalJson } from '../base/json.ts'
import { longestLabel } from './formats.ts'
import type { WorkloadKind } from './profiles.ts'

/** Names of the objects of a workload. They depend on its id alone, except that of a Job, which cannot be changed. */
export const objectNames = {
  files: (workload: string) => `${workload}-files`,
  secrets: (workload: string) => `${workload}-secrets`,
  cronJob: (workload: string, schedule: string) => `${workload}-${schedule}`,
  job: (workload: string, spec: unknown) => `${workload}-${shortHash(canonicalJson(spec))}`,
} as const

const hashLength = 8

/** The first characters of a SHA-256. */
export function shortHash(text: string): string {
  return hash('sha256', text).slice(0, hashLength)
}

/** The variable that a secret word of a command reaches its container by. */
export function variableOfWord(part: 'COMMAND' | 'ARG', index: number): string {
  return `QUARTERMASTER_${part}_${index}`
}

/** Whether `variableOfWord` gives the name. */
export function isVariableOfWord(name: string): boolean {
  return /^QUARTERMASTER_(?:COMMAND|ARG)_\d+$/.test(name)
}

/** Characters that the name of a Job, or of one that a CronJob makes, has behind the id or the name of the CronJob. */
export const jobSuffixLength = hashLength + 1

/** Longest id of a workload: Kubernetes appends to the names of Jobs, StatefulSets and CronJobs, and puts them into labels. */
export const longestId: Readonly<Record<WorkloadKind, number>> = {
  Deployment: longestLabel,
  StatefulSet: 52,
  Job: longestLabel - jobSuffixLength,
  CronJob: 52,
}
