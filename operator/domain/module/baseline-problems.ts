import { isObject } from '../base/json.ts'
import { truncate } from '../base/size-limits.ts'
import { eachEntry } from './container-problems.ts'
import type { NativeContainer } from './container-schema.ts'
import type { Module } from './module-schema.ts'
import { isAbsent, isUnknown, type ReportAt } from './read-module.ts'

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/'
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const

/** Reports what the Pod Security level `baseline` forbids in annotations and in parts that Kubernetes reads. */
export function checkBaseline({ containers, pod, schedules }: Module, report: ReportAt): void {
  checkLifecycles(containers, '', report)
  eachEntry(schedules, '/schedules', (_, schedule, at) => checkLifecycles(schedule.containers, at, report))
  for (const [i, container] of (pod?.initContainers ?? []).entries())
    if (container) checkNativeContainer(container, `/pod/initContainers/${i}`, report)
  eachEntry(pod?.annotations, '/pod/annotations', (key, value, at) => {
    if (
      key.startsWith(appArmorPrefix) &&
      isKnown(value) &&
      !/^(?:$|runtime\/default$|localhost\/)/.test(value)
    )
      report(at, `must be 'runtime/default' or begin with 'localhost/', not '${truncate(value, 100)}'`)
  })
}

function checkLifecycles(containers: Module['containers'], at: string, report: ReportAt): void {
  eachEntry(containers, `${at}/containers`, (_, { lifecycle }, where) =>
    checkLifecycle(lifecycle, `${where}/lifecycle`, report),
  )
}

function checkNativeContainer(container: NativeContainer, at: string, report: ReportAt): void {
  const ports: unknown[] = Array.isArray(container.ports) ? container.ports : []
  for (const [i, port] of ports.entries())
    if (isObject(port) && isKnown(port.hostPort) && port.hostPort !== 0)
      report(`${at}/ports/${i}/hostPort`, 'is a port of the node, which modules cannot use')
  for (const name of probes) checkHandler(container[name], `${at}/${name}`, report)
  checkLifecycle(container.lifecycle, `${at}/lifecycle`, report)
}

function checkLifecycle(lifecycle: unknown, at: string, report: ReportAt): void {
  if (!isObject(lifecycle)) return
  for (const name of ['postStart', 'preStop']) checkHandler(lifecycle[name], `${at}/${name}`, report)
}

/** A request of another address than the pod's would be a request of the node. */
function checkHandler(handler: unknown, at: string, report: ReportAt): void {
  if (!isObject(handler)) return
  for (const name of ['httpGet', 'tcpSocket']) {
    const request = handler[name]
    if (isObject(request) && isKnown(request.host) && request.host !== '')
      report(`${at}/${name}/host`, 'must be absent: a request always reaches the pod itself')
  }
}

/** Whether a value is given, and is not a placeholder whose value is not known yet. */
function isKnown(value: unknown): boolean {
  return !isAbsent(value) && !isUnknown(value)
}
