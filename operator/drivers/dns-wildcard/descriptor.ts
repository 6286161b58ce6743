import { type FreeForm, object, string } from '../../api/schema.ts'
import { isObject } from '../../domain/base/json.ts'
import { problemsOfGoTemplates } from '../../domain/placeholder/go-template.ts'
import type { DriverDescriptor, InputsCheck } from '../../domain/resource/driver.ts'
import { checkCertificate, maxPemLength } from '../../domain/secret/certificate.ts'

/** The plain inputs of the driver. */
export const dnsWildcardValues = object(
  { domain: string('Domain whose subdomains all lead to the cluster.', { minLength: 1, maxLength: 253 }) },
  {
    template: string(
      'Go template of what comes before the domain. `<app>-<env>-<8 hex digits>` when absent.',
      {
        maxLength: 4096,
      },
    ),
  },
  'Inputs of the dns-wildcard driver.',
)

const pem = { maxLength: maxPemLength, minLength: 1 }

/** The secret inputs of the driver. */
export const dnsWildcardSecrets = object(
  {},
  {
    tls: object(
      { 'tls.crt': string('Certificate, PEM.', pem), 'tls.key': string('Private key, PEM.', pem) },
      {},
      'Wildcard certificate for the subdomains of the domain.',
    ),
  },
  'Secret inputs of the dns-wildcard driver.',
)

export const dnsWildcardDescriptor: DriverDescriptor = {
  name: 'dns-wildcard',
  description: 'Names a subdomain of a domain all of whose subdomains lead to the cluster already.',
  resourceTypes: ['dns'],
  account: { types: [], required: false },
  values: dnsWildcardValues,
  secrets: dnsWildcardSecrets,
  neighbours: {},
  takesIngressRules: false,
  keepsCookie: true,
  check,
  outputNames: ({ secretRefs }) => ['host', ...(secretRefs.tls === undefined ? [] : ['tls_secret_name'])],
  replaceOnChangeOf: [],
}

function check(
  { values, secrets }: { readonly values: FreeForm; readonly secrets: FreeForm },
  now: number,
): InputsCheck {
  const { domain, template } = values
  const problems = problemsOfGoTemplates(template, 'template')
  const tls = isObject(secrets.tls) ? secrets.tls : {}
  const [crt, key] = [tls['tls.crt'], tls['tls.key']]
  // A template may return several labels; the certificate covers one level.
  if (template !== undefined || !isKnown(domain) || !isKnown(crt) || !isKnown(key))
    return { problems, warnings: [] }
  return checkCertificate({ crt, key, domain, now })
}

/** Whether a text is complete: placeholders are resolved later. */
function isKnown(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('$\u007b')
}
