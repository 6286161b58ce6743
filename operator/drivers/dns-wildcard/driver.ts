import { hash } from 'node:crypto'
import type { Static } from '../../api/schema.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { canonicalJson } from '../../domain/base/json.ts'
import type { Templates } from '../../templates/templates.ts'
import type { Driver, ProvisionRequest } from '../driver.ts'
import { hostBelow, hostLabel } from '../host-name.ts'
import { renderTemplates, templateData } from '../rendering.ts'
import { refuseBadCertificate, tlsSecret } from '../tls-secret.ts'
import { dnsWildcardDescriptor, type dnsWildcardSecrets, type dnsWildcardValues } from './descriptor.ts'

/** Generates host names below a domain that has a wildcard record; writes nothing. */
export function createDnsWildcard({
  templates,
  now = Date.now,
}: {
  readonly templates: Templates
  /** Milliseconds since 1970, for certificates. */
  readonly now?: () => number
}): Driver {
  return {
    descriptor: dnsWildcardDescriptor,
    async provision(request) {
      const { domain, template } = request.values as Static<typeof dnsWildcardValues> // the schema was checked
      const { tls } = request.secrets as Static<typeof dnsWildcardSecrets> // the schema was checked
      const host =
        template === undefined || template.trim() === ''
          ? hostOf(
              hostLabel(request.context.applicationId, request.context.environmentId, request.guResId),
              domain,
            )
          : await hostOfTemplate(template, domain, request, templates)
      if (tls) refuseBadCertificate(tls, host.slice(host.indexOf('.') + 1), now())
      const secret = tls && tlsSecret(request.guResId, request.namespace, tls)
      return {
        outputs: {
          values: { host, ...(secret ? { tls_secret_name: secret.metadata.name } : {}) },
          secrets: {},
        },
        objects: secret ? [secret] : [],
        reservedHosts: [host],
      }
    },
    async deprovision() {},
  }
}

/** The host of the label below the domain; throws Stalled when it is not a host name. */
function hostOf(label: string, domain: string): string {
  const host = hostBelow(domain, label)
  if (host !== undefined) return host
  throw new Stalled('InvalidInputs', `'${label}.${domain}' is not a host name`)
}

/**
 * The host of the previous result for the same inputs, so that a random part does not change. The certificate is not among
 * them: a renewed one keeps the host.
 */
async function hostOfTemplate(
  template: string,
  domain: string,
  request: ProvisionRequest,
  templates: Templates,
): Promise<string> {
  const { tls: _, ...secrets } = request.secrets
  const data = templateData({ ...request, secrets })
  const key = hash('sha256', canonicalJson([template, data]))
  const cookie = (await request.cookie?.read()) ?? ''
  if (cookie.startsWith(`${key} `)) return hostOf(cookie.slice(key.length + 1), domain)
  const steps = [{ name: 'template', template, reads: 'text' as const }]
  const { template: text } = await renderTemplates(templates, steps, data, request)
  const label = String(text).trim().toLowerCase()
  const host = hostOf(label, domain)
  await request.cookie?.write(`${key} ${label}`)
  return host
}
