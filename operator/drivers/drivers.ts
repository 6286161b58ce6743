import type { Outbound } from '../outbound/outbound.ts'
import { createTemplates } from '../templates/templates.ts'
import { createDnsCloudflare } from './dns-cloudflare/driver.ts'
import { createDnsWildcard } from './dns-wildcard/driver.ts'
import type { Driver } from './driver.ts'
import { echo } from './echo/driver.ts'
import { createHttpDriver } from './http/driver.ts'
import { createIngress } from './ingress/driver.ts'
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
  const builtIn: readonly Driver[] = [
    echo,
    createIngress({
      deniedAnnotations: settings.ingressDeniedAnnotations,
      allowedAnnotations: settings.ingressAllowedAnnotations,
    }),
    dnsCloudflare,
    createDnsWildcard({ templates }),
    createTemplateDriver({ templates }),
    workload,
  ]
  return {
    builtIn,
    remote: (descriptor: Driver['descriptor'], target: string): Driver =>
      createHttpDriver({ descriptor, target, outbound: settings.outbound }),
    wrapping: (descriptor: Driver['descriptor'], template: unknown, inner: Driver): Driver =>
      createVirtualDriver({ descriptor, template, inner, templates }),
    async close() {
      dnsCloudflare.close()
      await templates.close()
    },
  }
}
