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
import { createWorkload } from './workload/driver.ts'
import type { ModuleSettings } from './workload/render-module.ts'
import { withRenderedModules } from './workload/rendered-modules.ts'

/** Settings of the drivers of an installation. */
export interface DriverSettings extends ModuleSettings {
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
    withRenderedModules(echo, settings),
    createIngress(rules),
    dnsCloudflare,
    createDnsWildcard({ templates }),
    withRenderedModules(withIngressRules(createTemplateDriver({ templates }), rules), settings),
    createWorkload(settings),
  ]
  return {
    builtIn,
    remote: (descriptor: Driver['descriptor'], target: string): Driver =>
      withRenderedModules(
        withIngressRules(createHttpDriver({ descriptor, target, outbound: settings.outbound }), rules),
        settings,
      ),
    wrapping: (descriptor: Driver['descriptor'], template: unknown, inner: Driver): Driver =>
      createVirtualDriver({ descriptor, template, inner, templates }),
    async close() {
      dnsCloudflare.close()
      await templates.close()
    },
  }
}
