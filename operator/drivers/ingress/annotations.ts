import { Stalled } from '../../domain/base/errors.ts'

/**
 * Annotations by which an Ingress reaches further than its own host and services: configuration of the controller,
 * calls to other servers, Secrets and names of others. Patterns in which `*` stands for any text.
 */
export const defaultDeniedAnnotations: readonly string[] = [
  // Text that becomes configuration or code of the controller.
  '*snippet',
  '*snippets',
  '*/config-*',
  '*/lua-*',
  '*/request-modifier',
  '*/router.pathmatcher',
  '*/skipper-*',
  'getambassador.io/*',
  // Who is let in, and who is asked about it.
  '*/auth-*',
  '*/*-auth-secret',
  '*/enable-global-auth',
  '*/jwt-*',
  '*/oauth*',
  '*/satisfy',
  '*/modsecurity*',
  '*/enable-modsecurity',
  '*/enable-owasp-*',
  '*/waf*',
  'appprotect.f5.com/*',
  'appprotectdos.f5.com/*',
  '*/security-groups',
  '*/load-balancer-attributes',
  'tailscale.com/*',
  // Names beside the host of the Ingress, or more than its share of it.
  '*/server-alias*',
  '*/host-aliases',
  '*/redirect-from*',
  '*/mergeable-ingress-type',
  '*/group.*',
  '*/actions.*',
  '*/conditions.*',
  '*/transforms.*',
  '*/frontend-rules',
  '*/rule-type',
  '*/router.priority',
  '*/router.entrypoints',
  'nginx.org/listen-ports*',
  'traefik.frontend.*',
  'external-dns*/hostname',
  'external-dns*/internal-hostname',
  'external-dns*/target',
  'external-dns*/ingress-hostname-source',
  'dns.alpha.kubernetes.io/*',
  'dns.gardener.cloud/*',
  // Copies of requests that go elsewhere.
  '*/mirror-*',
  '*/influxdb-*',
  // Objects of other namespaces: Secrets, certificates, maps, policies, middlewares, plugins.
  '*/proxy-ssl-*',
  '*/secure-*secret',
  '*/server-ca',
  '*/server-crt',
  '*/client-ca',
  '*/client-cert',
  '*/tls-cert-namespace',
  '*/custom-headers',
  '*/fastcgi-params-configmap',
  '*/policies',
  '*/router.middlewares',
  '*/router.tls.options',
  '*/router.tls.domains*',
  '*/service.serverstransport',
  'konghq.com/plugins',
  'konghq.com/override',
  '*.konghq.com*',
  '*/plugin-config-*',
  // Who owns an object; ours are refused for all drivers.
  'meta.helm.sh/*',
  'argocd.argoproj.io/*',
]

/** Which annotations a definition may not give. */
export interface AnnotationRules {
  /** Take the place of the default ones. */
  readonly deniedAnnotations?: readonly string[] | undefined
  /** Win over denied ones. */
  readonly allowedAnnotations?: readonly string[]
}

/** Tells of an annotation whether it is refused. */
export function annotationGuard({
  deniedAnnotations = defaultDeniedAnnotations,
  allowedAnnotations = [],
}: AnnotationRules): (name: string) => boolean {
  return (name) =>
    deniedAnnotations.some((pattern) => fits(name, pattern)) &&
    !allowedAnnotations.some((pattern) => fits(name, pattern))
}

/** Refuses the inputs or objects that have these annotations, if there are any. */
export function refuseAnnotations(refused: readonly string[]): void {
  if (refused.length === 0) return
  const names = refused.map((name) => `'${name}'`).join(', ')
  throw new Stalled(
    'AnnotationRefused',
    `no definition may give the annotation ${names}: the setting 'QUARTERMASTER_INGRESS_DENIED_ANNOTATIONS' forbids it`,
  )
}

/** Whether a name is what a pattern says, in any letter case; takes linear time for each `*`. */
function fits(name: string, pattern: string): boolean {
  const text = name.toLowerCase()
  const [first = '', ...parts] = pattern.toLowerCase().split('*')
  const last = parts.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let position = first.length
  for (const part of parts) {
    const found = text.indexOf(part, position)
    if (found < 0) return false
    position = found + part.length
  }
  return position + last.length <= text.length
}
