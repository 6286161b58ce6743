import { truncate } from '../base/size-limits.ts'
import { eachEntry } from './container-problems.ts'
import { isDnsLabel, isLabelKey, isLabelValue, longestLabel } from './formats.ts'
import type { Module } from './module-schema.ts'
import { jobSuffixLength, objectNames } from './names.ts'
import type { WorkloadKind } from './profiles.ts'
import { hasPlaceholder, type ReportAt } from './read-module.ts'

/** Reports names in the fields of pods that Kubernetes would refuse. */
export function checkPod({ pod }: Module, report: ReportAt): void {
  eachEntry(pod?.nodeSelector, '/pod/nodeSelector', (key, value, at) => {
    if (!isLabelKey(key)) report(at, `'${truncate(key, 100)}' cannot be the key of a label`)
    else if (!hasPlaceholder(value) && !isLabelValue(value))
      report(at, `'${value}' cannot be the value of a label`)
  })
  for (const field of ['hostname', 'subdomain'] as const) {
    const name = pod?.[field]
    if (name && !hasPlaceholder(name) && !isDnsLabel(name))
      report(`/pod/${field}`, `'${name}' cannot be a host name: use lower-case letters, digits and hyphens`)
  }
}

/** Reports a Job with numbered pods that Kubernetes would refuse. The host name of each is the name of the Job and a number. */
export function checkIndexedJob(id: string, kind: WorkloadKind, module: Module, report: ReportAt): void {
  const { job, schedules } = module
  if (job?.completionMode !== 'Indexed') return
  const at = '/job/completionMode'
  if (!('completions' in job)) return report(at, "'Indexed' needs 'completions'")
  if (!job.completions) return
  const names =
    kind === 'CronJob' ? Object.keys(schedules ?? {}).map((each) => objectNames.cronJob(id, each)) : [id]
  const longestName = Math.max(
    0,
    ...names.filter((each) => !hasPlaceholder(each)).map(({ length }) => length),
  )
  const length = longestName + jobSuffixLength + `-${job.completions - 1}`.length
  if (length > longestLabel)
    report(
      at,
      `the host names of ${job.completions} pods of the Job would have ${length} characters, more than ${longestLabel}: choose a shorter id`,
    )
}
