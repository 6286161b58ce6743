import type { Outbound } from '../outbound/outbound.ts'
import { createTemplates } from '../templates/templates.ts'
import { createDnsCloudflare } from './dns-cloudflare/driver.ts'
import { createDnsWildcard } from './dns-wildcard/driver.ts'
import type { Driver } from './driver.ts'
import { echo } from './echo/driver.ts'
import { createHttpDriver } from './http/driver.ts'
import { createIngress } from './ingress/driver.ts'
import { withIngressRules } from './ingress/rules.ts'
import { createTemplateDriver } from './template/driver.ts'
import { createVirtualDriver } from './virtual/driver.ts'
import { workload } from './workload/driver.ts'

/** What an installation may choose about its drivers. */
export interface DriverSettings {
  /** 8 hexadecimal digits that tell this cluster from others. */
  readonly installationId: string
  /** Where DNS names lead when nothing else says it. */
  readonly loadbalancer: string | undefined
  readonly cloudflareUrl: string | undefined
  /** The way to drivers of organizations. */
  readonly outbound: Outbound
  /** Annotations that no Ingress may get, the usual ones when undefined, and exceptions from them. */
  readonly ingressDeniedAnnotations: readonly string[] | undefined
  readonly ingressAllowedAnnotations: readonly string[]
}

/** All drivers that are built in, the same list as the catalogue with hands, and how others are made. */
export function openDrivers(settings: DriverSettings) {
  const templates = createTemplates()
  const dnsCloudflare = createDnsCloudflare({
    installationId: settings.installationId,
    loadbalancer: settings.loadbalancer,
    baseUrl: settings.cloudflareUrl,
  })
  const rules = {
    deniedAnnotations: settings.ingressDeniedAnnotations,
    allowedAnnotations: settings.ingressAllowedAnnotations,
  }
  const builtIn: readonly Driver[] = [
    echo,
    createIngress(rules),
    dnsCloudflare,
    createDnsWildcard({ templates }),
    withIngressRules(createTemplateDriver({ templates }), rules),
    workload,
  ]
  return {
    builtIn,
    remote: (descriptor: Driver['descriptor'], target: string): Driver =>
      withIngressRules(createHttpDriver({ descriptor, target, outbound: settings.outbound }), rules),
    wrapping: (descriptor: Driver['descriptor'], template: unknown, inner: Driver): Driver =>
      createVirtualDriver({ descriptor, template, inner, templates }),
    async close() {
      dnsCloudflare.close()
      await templates.close()
    },
  }
}
