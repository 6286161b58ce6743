import { Stalled } from '../../domain/base/errors.ts'

/**
 * Patterns, with `*` for any text, of annotations that affect more than the Ingress's own host and services: controller
 * configuration, calls to other servers, Secrets and host names of others.
 */
export const defaultDeniedAnnotations: readonly string[] = [
  // Configuration or code of the controller.
  '*snippet',
  '*snippets',
  '*/config-*',
  '*/lua-*',
  '*/request-modifier',
  '*/router.pathmatcher',
  '*/skipper-*',
  'getambassador.io/*',
  // Authentication and access.
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
  // Further host names, or precedence for the host.
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
  // Mirrored requests.
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
  // Ownership; our own annotations are denied for all drivers.
  'meta.helm.sh/*',
  'argocd.argoproj.io/*',
]

/** Annotations that a definition may not set. */
export interface AnnotationRules {
  /** Replaces the default patterns. */
  readonly deniedAnnotations?: readonly string[] | undefined
  /** Takes precedence over denied patterns. */
  readonly allowedAnnotations?: readonly string[]
}

/** Whether an annotation is denied. */
export function annotationGuard({
  deniedAnnotations = defaultDeniedAnnotations,
  allowedAnnotations = [],
}: AnnotationRules): (name: string) => boolean {
  return (name) =>
    deniedAnnotations.some((pattern) => fits(name, pattern)) &&
    !allowedAnnotations.some((pattern) => fits(name, pattern))
}

/** Throws Stalled when there are denied annotations. */
export function refuseAnnotations(refused: readonly string[]): void {
  if (refused.length === 0) return
  const names = refused.map((name) => `'${name}'`).join(', ')
  throw new Stalled(
    'AnnotationRefused',
    `no definition may give the annotation ${names}: the setting 'QUARTERMASTER_INGRESS_DENIED_ANNOTATIONS' forbids it`,
  )
}

/** Whether a name matches a pattern, ignoring case, in linear time for each `*`. */
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
