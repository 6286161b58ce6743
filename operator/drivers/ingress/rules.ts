import type { KubeObject } from '../../api/kind.ts'
import { isObject } from '../../domain/json.ts'
import type { Driver } from '../driver.ts'
import { type AnnotationRules, annotationGuard, refuseAnnotations } from './annotations.ts'

/** The driver, with the rules of the ingress driver for each Ingress that it makes: its annotations, and whose hosts they are. */
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
      const hosts = new Set(ingresses.flatMap(hostsOf))
      return {
        ...provisioned,
        claims: [...(provisioned.claims ?? []), ...[...hosts].map((host) => `host/${host}`)],
      }
    },
  }
}

function isIngress({ apiVersion, kind }: KubeObject): boolean {
  return kind === 'Ingress' && apiVersion.startsWith('networking.k8s.io/')
}

/** In lower case, as they are claimed; what has no form is for the API server to refuse. */
function hostsOf({ spec }: KubeObject): string[] {
  if (!isObject(spec) || !Array.isArray(spec.rules)) return []
  return spec.rules.flatMap((rule) =>
    isObject(rule) && typeof rule.host === 'string' && rule.host !== '' ? [rule.host.toLowerCase()] : [],
  )
}
