import { quantityOf } from '../base/quantity.ts'
import { truncate } from '../base/size-limits.ts'
import { eachEntry } from './container-problems.ts'
import { isDnsSubdomain, isTimeZone, longestLabel } from './formats.ts'
import type { Deploy, Module } from './module-schema.ts'
import { jobSuffixLength, objectNames } from './names.ts'
import type { WorkloadKind } from './profiles.ts'
import { hasPlaceholder, type ReportAt } from './read-module.ts'

/** A module that is checked, with the kind of its profile. */
export interface Checked {
  readonly id: string
  readonly kind: WorkloadKind
  readonly module: Module
  readonly deploy: Deploy
}

const sectionsOf: Readonly<Record<WorkloadKind, readonly (keyof Module)[]>> = {
  Deployment: ['deployment', 'replicas'],
  StatefulSet: ['statefulset', 'replicas'],
  Job: ['job'],
  CronJob: ['job', 'cronjob', 'schedules'],
}

/** Reports sections of other profiles, and fields of the profile that Kubernetes would refuse. */
export function checkSections(checked: Checked, report: ReportAt): void {
  const { kind, module } = checked
  for (const section of new Set(Object.values(sectionsOf).flat()))
    if (module[section] !== undefined && !sectionsOf[kind].includes(section))
      report(`/${section}`, `has no effect: the profile makes a ${kind}`)
  if (kind === 'Job' && module.job?.ttlSecondsAfterFinished !== undefined)
    report('/job/ttlSecondsAfterFinished', 'is for CronJobs: the ended Job of a workload shows that it ran')
  checkClaims(module, report)
  checkDeadline(checked, report)
  const { timeZone } = module.cronjob ?? {}
  if (timeZone !== undefined && !hasPlaceholder(timeZone) && !isTimeZone(timeZone))
    report('/cronjob/timeZone', `'${timeZone}' is not a time zone such as 'Europe/Berlin'`)
  if (kind === 'Job' || kind === 'CronJob') checkIndexedJob(checked, report)
}

function checkClaims({ statefulset }: Module, report: ReportAt): void {
  eachEntry(statefulset?.volume_claims, '/statefulset/volume_claims', (_, claim, at) => {
    const { storage, storage_class: storageClass = '', access_modes: modes } = claim
    if (storage !== undefined && !hasPlaceholder(storage) && !quantityOf(storage))
      report(`${at}/storage`, `'${truncate(storage, 64)}' is not a quantity such as '10Gi'`)
    if (storageClass !== '' && !hasPlaceholder(storageClass) && !isDnsSubdomain(storageClass))
      report(`${at}/storage_class`, `'${truncate(storageClass, 100)}' cannot be the name of a class`)
    if (modes) checkModes(modes, `${at}/access_modes`, report)
  })
}

const soleMode = 'ReadWriteOncePod'
const accessModes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', soleMode]

function checkModes(modes: readonly (string | undefined)[], at: string, report: ReportAt): void {
  const known = modes.filter((mode) => mode !== undefined && !hasPlaceholder(mode))
  if (modes.length === 0) report(at, 'is empty')
  if (known.includes(soleMode) && known.some((mode) => mode !== soleMode))
    report(at, `'${soleMode}' excludes other modes`)
  for (const [i, mode] of modes.entries())
    if (mode !== undefined && !hasPlaceholder(mode) && !accessModes.includes(mode))
      report(`${at}/${i}`, `must be one of ${accessModes.join(', ')}, not '${mode}'`)
}

const defaultDeadline = 600

function checkDeadline({ module: { deployment = {} }, deploy }: Checked, report: ReportAt): void {
  const deadline =
    'progressDeadlineSeconds' in deployment ? deployment.progressDeadlineSeconds : deploy.timeout
  const isUnknown = deadline === undefined && ('progressDeadlineSeconds' in deployment || 'timeout' in deploy)
  const { minReadySeconds = 0 } = deployment
  if (!isUnknown && minReadySeconds >= (deadline ?? defaultDeadline))
    report(
      '/deployment/minReadySeconds',
      `must be less than the ${deadline ?? defaultDeadline} seconds after which the rollout fails`,
    )
}

const mostIndexedPods = 100_000

/** Reports a Job with numbered pods that Kubernetes would refuse. The host name of each is the name of the Job and a number. */
function checkIndexedJob({ id, kind, module: { job, schedules } }: Checked, report: ReportAt): void {
  if (job?.completionMode !== 'Indexed') return
  const at = '/job/completionMode'
  if ((job.parallelism ?? 0) > mostIndexedPods)
    report('/job/parallelism', `must be at most ${mostIndexedPods} with the completion mode 'Indexed'`)
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
