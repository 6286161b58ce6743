import { describe, expect, test } from '@jest/globals'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import { createIngress, ingress } from '../../../operator/drivers/ingress/driver.ts'
import { request } from '../support/ingress-request.ts'

const dangerous: Record<string, string> = {
  'nginx.ingress.kubernetes.io':
    'configuration-snippet server-snippet stream-snippet modsecurity-snippet auth-snippet auth-url auth-signin auth-signin-redirect-param auth-method auth-response-headers auth-request-redirect auth-proxy-set-headers auth-cache-key auth-secret auth-secret-type auth-realm auth-type auth-always-set-cookie auth-tls-secret auth-tls-verify-client auth-tls-verify-depth auth-tls-error-page auth-tls-pass-certificate-to-upstream auth-tls-match-cn enable-global-auth server-alias mirror-target mirror-host mirror-request-body enable-modsecurity enable-owasp-core-rules modsecurity-transaction-id lua-resty-waf lua-resty-waf-debug lua-resty-waf-ignore-rulesets proxy-ssl-secret proxy-ssl-verify proxy-ssl-name proxy-ssl-server-name secure-verify-ca-secret influxdb-host influxdb-port custom-headers fastcgi-params-configmap satisfy',
  'nginx.org':
    'server-snippets location-snippets mergeable-ingress-type policies listen-ports listen-ports-ssl basic-auth-secret',
  'nginx.com': 'jwt-key jwt-login-url jwt-realm jwt-token',
  'appprotect.f5.com': 'app-protect-enable app-protect-policy app-protect-security-log-destination',
  'haproxy.org':
    'backend-config-snippet frontend-config-snippet auth-secret auth-type server-ca server-crt client-ca',
  'haproxy-ingress.github.io':
    'config-backend config-backend-early config-frontend config-defaults config-global config-tcp-service auth-url auth-external-placement server-alias server-alias-regex redirect-from redirect-from-regex secure-crt-secret secure-verify-ca-secret oauth oauth-uri-prefix waf waf-mode',
  'traefik.ingress.kubernetes.io':
    'router.middlewares router.entrypoints router.priority router.pathmatcher router.tls.options router.tls.domains.0.main service.serverstransport rule-type request-modifier auth-type',
  'projectcontour.io': 'tls-cert-namespace auth-context',
  'konghq.com': 'plugins override host-aliases client-cert',
  'alb.ingress.kubernetes.io':
    'group.name group.order actions.weighted conditions.host transforms.rewrite auth-type auth-idp-oidc auth-idp-cognito auth-on-unauthenticated-request wafv2-acl-arn waf-acl-id security-groups load-balancer-attributes',
  'external-dns.alpha.kubernetes.io': 'hostname internal-hostname target ingress-hostname-source',
  'dns.alpha.kubernetes.io': 'external internal',
  'dns.gardener.cloud': 'dnsnames class',
  'zalando.org': 'skipper-filter skipper-routes skipper-predicate',
  'getambassador.io': 'config',
  'appgw.ingress.kubernetes.io': 'waf-policy-for-path',
  'ingress.kubernetes.io': 'config-backend auth-tls-secret auth-url',
  'tailscale.com': 'funnel',
  'meta.helm.sh': 'release-name release-namespace',
  'argocd.argoproj.io': 'tracking-id',
  '': 'traefik.frontend.rule configuration.konghq.com plugins.konghq.com',
}

const harmless = [
  'nginx.ingress.kubernetes.io/proxy-body-size',
  'nginx.ingress.kubernetes.io/rewrite-target',
  'nginx.ingress.kubernetes.io/ssl-redirect',
  'nginx.ingress.kubernetes.io/force-ssl-redirect',
  'nginx.ingress.kubernetes.io/backend-protocol',
  'nginx.ingress.kubernetes.io/proxy-read-timeout',
  'nginx.ingress.kubernetes.io/whitelist-source-range',
  'nginx.ingress.kubernetes.io/enable-cors',
  'nginx.ingress.kubernetes.io/affinity',
  'nginx.ingress.kubernetes.io/session-cookie-name',
  'nginx.ingress.kubernetes.io/limit-rps',
  'nginx.ingress.kubernetes.io/canary',
  'nginx.ingress.kubernetes.io/canary-weight',
  'nginx.org/websocket-services',
  'nginx.org/proxy-read-timeout',
  'haproxy.org/timeout-server',
  'haproxy.org/load-balance',
  'traefik.ingress.kubernetes.io/router.tls',
  'traefik.ingress.kubernetes.io/router.tls.certresolver',
  'projectcontour.io/response-timeout',
  'projectcontour.io/websocket-routes',
  'konghq.com/strip-path',
  'konghq.com/protocols',
  'alb.ingress.kubernetes.io/certificate-arn',
  'alb.ingress.kubernetes.io/scheme',
  'alb.ingress.kubernetes.io/target-type',
  'alb.ingress.kubernetes.io/listen-ports',
  'cert-manager.io/cluster-issuer',
  'cert-manager.io/issuer',
  'acme.cert-manager.io/http01-ingress-class',
  'external-dns.alpha.kubernetes.io/ttl',
  'kubernetes.io/ingress.class',
  'example.org/team',
  'team',
]

const dangerousNames = Object.entries(dangerous).flatMap(([prefix, names]) =>
  names.split(' ').map((name) => (prefix === '' ? name : `${prefix}/${name}`)),
)

function withAnnotation(name: string, driver = ingress) {
  return driver.provision(request({ values: { annotations: { [name]: '' } } }))
}

describe('annotations that reach beyond the Ingress', () => {
  test('are more than a hundred', () => expect(new Set(dangerousNames).size).toBeGreaterThan(100))

  test.each(dangerousNames)('are refused: %s', async (name) => {
    const error = await withAnnotation(name).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Stalled)
    expect(error).toMatchObject({ reason: 'AnnotationRefused' })
    expect(String(error)).toContain(`'${name}'`)
    expect(String(error)).toContain('QUARTERMASTER_INGRESS_DENIED_ANNOTATIONS')
  })

  test.each(dangerousNames.filter((_, index) => index % 10 === 0))('in any letter case: %s', async (name) => {
    await expect(withAnnotation(name.toUpperCase())).rejects.toMatchObject({ reason: 'AnnotationRefused' })
  })

  test('are refused even without rules', async () => {
    const values = { annotations: { 'nginx.ingress.kubernetes.io/server-snippet': 'x' } }
    const call = ingress.provision(request({ values, params: {} }))
    await expect(call).rejects.toMatchObject({ reason: 'AnnotationRefused' })
  })

  test('never show their values', async () => {
    const values = { annotations: { 'nginx.ingress.kubernetes.io/server-snippet': 'hunter2' } }
    const error = await ingress.provision(request({ values })).catch((thrown: unknown) => thrown)
    expect(String(error)).not.toContain('hunter2')
  })
})

test.each(harmless)('an annotation for the Ingress alone is given: %s', async (name) => {
  const { objects } = await withAnnotation(name)
  expect(objects[0]?.metadata).toMatchObject({ annotations: { [name]: '' } })
})

describe('the settings', () => {
  const snippet = 'nginx.ingress.kubernetes.io/server-snippet'
  const refused = { reason: 'AnnotationRefused' }

  test.each<[rule: string, settings: Parameters<typeof createIngress>[0], name: string, isRefused: boolean]>([
    ['none: the default ones', {}, snippet, true],
    ['denied ones take the place of the default ones', { deniedAnnotations: ['a/*'] }, snippet, false],
    ['and are refused', { deniedAnnotations: ['a/*'] }, 'a/b', true],
    ['an empty list denies nothing', { deniedAnnotations: [] }, snippet, false],
    ['not set is not empty', { deniedAnnotations: undefined }, snippet, true],
    ['allowed ones win', { allowedAnnotations: ['nginx.ingress.*'] }, snippet, false],
    ['a pattern without a star is a name', { deniedAnnotations: ['a/b'] }, 'a/bc', false],
    ['a star can match nothing', { deniedAnnotations: ['a/*b'] }, 'a/b', true],
    ['the ends of a pattern do not overlap', { deniedAnnotations: ['a/bb*bb'] }, 'a/bbb', false],
    ['the letter case of a pattern does not matter', { deniedAnnotations: ['A/B*'] }, 'a/bc', true],
    ['many stars', { deniedAnnotations: ['*a*b*c*'] }, 'x-a-x-b-x-c-x', true],
    ['many stars in another order', { deniedAnnotations: ['*a*b*c*'] }, 'x-c-x-b-x-a-x', false],
    ['a dot is a dot', { deniedAnnotations: ['a.b/*'] }, 'axb/c', false],
  ])('%s', async (_, settings, name, isRefused) => {
    const call = withAnnotation(name, createIngress(settings))
    if (isRefused) await expect(call).rejects.toMatchObject(refused)
    else await expect(call).resolves.toHaveProperty('objects')
  })
})
