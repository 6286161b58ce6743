import { mostReservedHosts } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { isObject } from '../../domain/base/json.ts'
import type { Driver } from '../driver.ts'
import { type AnnotationRules, annotationGuard, refuseAnnotations } from './annotations.ts'

/** The driver, with the ingress driver's checks of annotations and hosts for each Ingress that it makes. */
export function withIngressRules(driver: Driver, rules: AnnotationRules): Driver {
  const isRefused = annotationGuard(rules)
  return {
    ...driver,
    async provision(request) {
      const provisioned = await driver.provision(request)
      const ingresses = provisioned.objects.filter(isIngress)
      if (ingresses.length === 0) return provisioned
      for (const { metadata } of ingresses)
        refuseAnnotations(Object.keys(metadata.annotations ?? {}).filter(isRefused))
      const reservedHosts = [...(provisioned.reservedHosts ?? []), ...hostsOf(ingresses)]
      if (reservedHosts.length > mostReservedHosts)
        throw new Stalled(
          'TooManyHosts',
          `the Ingresses have ${reservedHosts.length} hosts; a resource may have at most ${mostReservedHosts}`,
        )
      return { ...provisioned, reservedHosts }
    },
  }
}

/** The unique hosts of Ingresses. */
export function hostsOf(ingresses: readonly KubeObject[]): string[] {
  return [...new Set(ingresses.flatMap(hostsOfOne))]
}

/** Whether an object is an Ingress. */
export function isIngress({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Ingress' && apiVersion.startsWith('networking.k8s.io/')
}

/** The hosts of rules and certificates in lower case; the API server rejects malformed ones. */
function hostsOfOne({ spec }: KubeObject): string[] {
  const hosts = [
    ...entriesOf(spec, 'rules').map(({ host }) => host),
    ...entriesOf(spec, 'tls').flatMap((entry): unknown[] => (Array.isArray(entry.hosts) ? entry.hosts : [])),
  ]
  return hosts.flatMap((host) => (typeof host === 'string' && host !== '' ? [host.toLowerCase()] : []))
}

function entriesOf(spec: unknown, field: string): FreeForm[] {
  const entries = isObject(spec) ? spec[field] : undefined
  return Array.isArray(entries) ? entries.filter(isObject) : []
}
