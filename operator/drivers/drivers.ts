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

/** Settings of the drivers of an installation. */
export interface DriverSettings {
  /** 8 hexadecimal digits that identify this cluster. */
  readonly installationId: string
  /** The default target of DNS names. */
  readonly loadbalancer: string | undefined
  readonly cloudflareUrl: string | undefined
  /** Calls drivers of organizations. */
  readonly outbound: Outbound
  /** Annotations that no Ingress may have (the documented ones when undefined), and exceptions. */
  readonly ingressDeniedAnnotations: readonly string[] | undefined
  readonly ingressAllowedAnnotations: readonly string[]
}

/** The built-in drivers, in the order of the catalogue, and constructors of others. */
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
