import { isObject } from '../base/json.ts'
import { truncate } from '../base/size-limits.ts'
import { checkSeccomp, eachEntry } from './container-problems.ts'
import { isDnsLabel, isDnsSubdomain, isLabelKey, isLabelValue } from './formats.ts'
import type { Module } from './module-schema.ts'
import { hasPlaceholder, type ReportAt } from './read-module.ts'

/** Reports names in the fields of pods that Kubernetes would refuse. */
export function checkPod({ pod }: Module, report: ReportAt): void {
  eachEntry(pod?.nodeSelector, '/pod/nodeSelector', (key, value, at) => {
    if (!isLabelKey(key)) report(at, `'${truncate(key, 100)}' cannot be the key of a label`)
    else if (!hasPlaceholder(value) && !isLabelValue(value))
      report(at, `'${value}' cannot be the value of a label`)
  })
  checkClasses(pod, report)
  checkSeccomp(pod?.securityContext, '/pod/securityContext', report)
  if (pod?.dnsPolicy === 'None' && !('dnsConfig' in pod && mayHaveServers(pod.dnsConfig)))
    report('/pod/dnsPolicy', "'None' needs 'dnsConfig' with 'nameservers'")
  for (const field of ['hostname', 'subdomain'] as const) {
    const name = pod?.[field]
    if (name && !hasPlaceholder(name) && !isDnsLabel(name))
      report(`/pod/${field}`, `'${name}' cannot be a host name: use lower-case letters, digits and hyphens`)
  }
}

function checkClasses(pod: Module['pod'], report: ReportAt): void {
  for (const field of ['priorityClassName', 'runtimeClassName'] as const) {
    const name = pod?.[field]
    // An empty priority class counts as none.
    if (name === undefined || (name === '' && field === 'priorityClassName') || hasPlaceholder(name)) continue
    if (!isDnsSubdomain(name))
      report(`/pod/${field}`, `'${truncate(name, 100)}' cannot be the name of a class`)
  }
}

/** False when no placeholder can give a server. */
function mayHaveServers(dnsConfig: unknown): boolean {
  if (!isObject(dnsConfig)) return true
  const servers = dnsConfig.nameservers ?? []
  return !Array.isArray(servers) || servers.length > 0
}
