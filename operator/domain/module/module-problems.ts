import { isObject } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { truncate } from '../base/size-limits.ts'
import { checkBaseline } from './baseline-problems.ts'
import { checkContainer, checkNativeContainer, eachEntry } from './container-problems.ts'
import type { ModuleContainer } from './container-schema.ts'
import { isDnsLabel, isDnsSubdomain, isLabelKey, isLabelValue, longestLabel } from './formats.ts'
import { fromKubernetesForm } from './kubernetes-form.ts'
import { isReservedKey } from './labels.ts'
import { type Deploy, deploySchema, type Module, moduleSchema } from './module-schema.ts'
import { longestId } from './names.ts'
import { checkPod } from './pod-problems.ts'
import { kindOfProfile } from './profiles.ts'
import { hasPlaceholder, type ReportAt, readBySchema } from './read-module.ts'
import { problemOfRepetition } from './repeated-pods.ts'
import { isSchedule } from './schedule.ts'
import { type Checked, checkSections } from './section-problems.ts'
import { checkContents, checkVolumes } from './volume-problems.ts'

/** The params of a `workload` resource: its module. */
export interface ModuleParams {
  readonly id?: unknown
  readonly profile?: unknown
  readonly spec?: unknown
  readonly deploy?: unknown
}

/** A module as its schema reads it. */
export interface ReadModule extends Checked {
  /** Texts that name the field. None for a module that can be rendered. */
  readonly problems: readonly string[]
}

const mostProblems = 20

/** Whether the module has objects: at least one container has an image. */
export function hasObjects(params: ModuleParams): boolean {
  return containersOf(params.spec).some((each) => isObject(each) && (each.image ?? undefined) !== undefined)
}

/** Whether the module has containers, which may lack their images, or another value in their place. */
export function hasContainers({ spec }: ModuleParams): boolean {
  const containers = isObject(spec) ? (spec.containers ?? {}) : {}
  return !isObject(containers) || Object.keys(containers).length > 0
}

/** Whether the module has a section for its Service, even one that is unfit or not known yet. */
export function hasService({ spec }: ModuleParams): boolean {
  return isObject(spec) && spec.service !== undefined && spec.service !== null
}

function containersOf(spec: unknown): unknown[] {
  const containers = isObject(spec) ? spec.containers : undefined
  return isObject(containers) ? Object.values(containers) : []
}

/** Reads a module, with or without its placeholders resolved, and finds its problems. */
export function readModule(params: ModuleParams, vendors: readonly string[]): ReadModule {
  const problems: string[] = []
  const report: ReportAt = (pointer, message) => {
    if (problems.length >= mostProblems) return
    problems.push(`'${truncate(pointer, 500)}': ${typeof message === 'string' ? message : message()}`)
  }
  const id = typeof params.id === 'string' ? params.id : ''
  const inSpec: ReportAt = (at, message) => report(`/spec${at}`, message)
  const module = readBySchema(moduleSchema, fromKubernetesForm(params.spec ?? {}, inSpec), inSpec) ?? {}
  const inDeploy: ReportAt = (at, message) => report(`/deploy${at}`, message)
  const deploy = readBySchema(deploySchema, params.deploy ?? {}, inDeploy) ?? {}
  checkOrder(deploy, inDeploy)
  const profile = kindOfProfile(typeof params.profile === 'string' ? params.profile : undefined, vendors)
  if ('problem' in profile) report('/profile', profile.problem)
  const kind = 'kind' in profile ? profile.kind : 'Deployment'
  if (hasObjects(params)) check({ id, kind, module, deploy }, report)
  return { id, kind, module, deploy, problems }
}

function check(checked: Checked, report: ReportAt): void {
  const { module } = checked
  const inSpec: ReportAt = (pointer, message) => report(`/spec${pointer}`, message)
  checkId(checked, report)
  const containers: [at: string, container: ModuleContainer][] = []
  eachEntry(module.containers, '/containers', (id, container, at) => {
    containers.push([at, container])
    checkContainer(id, container, at, inSpec)
  })
  const changed: typeof containers = []
  eachEntry(module.schedules, '/schedules', (_, schedule, at) =>
    eachEntry(schedule.containers, `${at}/containers`, (id, changes, where) => {
      changed.push([where, changes])
      checkContainer(id, { image: id, ...changes }, where, inSpec)
    }),
  )
  for (const [i, container] of (module.pod?.initContainers ?? []).entries())
    if (container) checkNativeContainer(container, `/pod/initContainers/${i}`, inSpec)
  checkBaseline(module, inSpec)
  checkContainerNames(module, inSpec)
  checkPorts(containers, inSpec)
  checkService(checked, inSpec)
  checkVolumes(module, [...containers, ...changed], inSpec)
  checkContents([...containers, ...changed], module, inSpec)
  checkMetadata(module, inSpec)
  checkPod(module, inSpec)
  checkAccounts(module, inSpec)
  checkSections(checked, inSpec)
  checkSchedules(checked, inSpec)
}

/** When a workload is deployed, and what it waits for, is known before placeholders are resolved. */
function checkOrder({ success, when }: Deploy, report: ReportAt): void {
  for (const [field, text] of Object.entries({ success, when }))
    if (text !== undefined && hasPlaceholder(text))
      report(`/${field}`, 'cannot be a placeholder: it is needed before the values are known')
}

function checkId({ id, kind, module }: Checked, report: ReportAt): void {
  const hasOtherAccount = module.serviceAccountName ?? module.pod?.serviceAccountName
  if (id === 'default' && hasOtherAccount === undefined)
    report(
      '/id',
      "every namespace has a ServiceAccount 'default': give the workload another id, or name an account in '/spec/serviceAccountName'",
    )
  if (id.length > longestId[kind])
    report(
      '/id',
      `the id of the workload has ${id.length} characters; at most ${longestId[kind]} fit the names of a ${kind}`,
    )
  if (module.service && !/^[a-z]/.test(id))
    report('/id', `the name of a Service must begin with a letter, not as '${truncate(id, 63)}'`)
}

function checkContainerNames({ containers, pod }: Module, report: ReportAt): void {
  const known = new Set(Object.keys(containers ?? {}))
  for (const [i, container] of (pod?.initContainers ?? []).entries()) {
    if (container?.name === undefined) continue
    if (known.has(container.name))
      report(`/pod/initContainers/${i}/name`, `another container is named '${container.name}' too`)
    known.add(container.name)
  }
}

function checkPorts(
  containers: readonly (readonly [at: string, container: ModuleContainer])[],
  report: ReportAt,
): void {
  const owners = new Map<string, string>()
  for (const [at, { ports }] of containers)
    eachEntry(ports, `${at}/ports`, (name, { container_port: port, protocol = 'TCP' }, where) => {
      if (!isDnsLabel(name)) report(where, `'${truncate(name, 63)}' cannot be the name of a port`)
      if (port === undefined) return
      const other = owners.get(`${protocol} ${port}`)
      if (other !== undefined)
        report(
          where,
          `port ${port} (${protocol}) is used at '${other}' too: containers of a pod share their ports`,
        )
      owners.set(`${protocol} ${port}`, where)
    })
}

function checkService({ module: { service } }: Checked, report: ReportAt): void {
  if (!service) return
  const owners = new Map<string, string>()
  if (Object.keys(service.ports ?? {}).length === 0) report('/service', "has no 'ports'")
  if (service.headless && service.type !== undefined && service.type !== 'ClusterIP')
    report('/service/headless', `a Service of the type '${service.type}' cannot be headless`)
  eachEntry(service.ports, '/service/ports', (name, given, at) => {
    const { service_port: port, protocol = 'TCP', app_protocol: application } = given
    if (!isDnsLabel(name)) report(at, `'${truncate(name, 63)}' cannot be the name of a port`)
    if (application !== undefined && !hasPlaceholder(application) && !isLabelKey(application))
      report(`${at}/app_protocol`, `'${truncate(application, 100)}' cannot be the name of a protocol`)
    if (port === undefined) return
    const other = owners.get(`${protocol} ${port}`)
    if (other !== undefined) report(at, `port ${port} (${protocol}) is used at '${other}' too`)
    owners.set(`${protocol} ${port}`, at)
  })
}

/** Reports malformed and reserved keys of labels and annotations, and malformed values of labels. */
function checkMetadata(module: Module, report: ReportAt): void {
  const { labels, annotations, service, pod, deployment, statefulset, job, cronjob } = module
  const holders = {
    '': { labels, annotations },
    '/service': service,
    '/pod': pod,
    '/deployment': deployment,
    '/statefulset': statefulset,
    '/job': job,
    '/cronjob': cronjob,
  }
  for (const [at, holder] of Object.entries(holders)) {
    for (const part of ['labels', 'annotations'] as const)
      eachEntry(holder?.[part], `${at}/${part}`, (key, value, where) => {
        if (!isLabelKey(key))
          report(where, `'${truncate(key, 100)}' cannot be the key of a label or an annotation`)
        else if (isReservedKey(key)) report(where, `'${key}' is set by the operator`)
        else if (part === 'labels' && !hasPlaceholder(value) && !isLabelValue(value))
          report(where, `'${value}' cannot be the value of a label`)
      })
  }
}

function checkAccounts({ serviceAccountName, pod }: Module, report: ReportAt): void {
  const names = {
    '/serviceAccountName': serviceAccountName,
    '/pod/serviceAccountName': pod?.serviceAccountName,
  }
  for (const [at, name] of Object.entries(names))
    if (name !== undefined && !hasPlaceholder(name) && !isDnsSubdomain(name))
      report(at, `'${truncate(name, 100)}' cannot be the name of a ServiceAccount`)
}

function checkSchedules({ id, kind, module }: Checked, report: ReportAt): void {
  if (kind !== 'CronJob') return
  const { schedules, containers } = module
  if (Object.keys(schedules ?? {}).length === 0)
    report('/schedules', 'has no schedule, which the profile needs')
  const repetition = problemOfRepetition(module)
  if (repetition !== undefined) report('/schedules', repetition)
  eachEntry(schedules, '/schedules', (name, { schedule, containers: changes }, at) => {
    if (!isDnsLabel(name)) report(at, `'${truncate(name, longestLabel)}' cannot be the name of a schedule`)
    else if (id.length + 1 + name.length > longestId.CronJob)
      report(
        at,
        `'${id}-${name}' has more than ${longestId.CronJob} characters, the most for the name of a CronJob`,
      )
    if (schedule !== undefined && !hasPlaceholder(schedule) && !isSchedule(schedule))
      report(`${at}/schedule`, `'${truncate(schedule, 100)}' is not a schedule such as '0 4 * * *'`)
    eachEntry(changes, `${at}/containers`, (container, _, where) => {
      if (Object.hasOwn(containers ?? {}, container)) return
      const hint = () => didYouMean(container, Object.keys(containers ?? {}))
      report(where, () => `no container is named '${truncate(container, 63)}'${hint()}`)
    })
  })
}
