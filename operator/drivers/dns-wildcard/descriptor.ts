import { type FreeForm, object, string } from '../../api/schema.ts'
import { isObject } from '../../domain/base/json.ts'
import { problemsOfGoTemplates } from '../../domain/placeholder/go-template.ts'
import type { DriverDescriptor, InputsCheck } from '../../domain/resource/driver.ts'
import { checkCertificate, maxPemLength } from '../../domain/secret/certificate.ts'
import { hostBelow } from '../host-name.ts'

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
  templatesReadInputs: ({ template }) => template !== undefined,
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
  if (!isKnown(domain)) return { problems, warnings: [] }
  const wildcard = hostBelow(domain, 'x')
  if (wildcard === undefined) problems.unshift(`'${domain.slice(0, 100)}' in 'domain' is not a domain name`)
  const tls = isObject(secrets.tls) ? secrets.tls : {}
  const [crt, key] = [tls['tls.crt'], tls['tls.key']]
  const isGenerated = template === undefined || (typeof template === 'string' && template.trim() === '')
  // A template may return several labels; the certificate covers one level.
  if (wildcard === undefined || !isGenerated || !isKnown(crt) || !isKnown(key))
    return { problems, warnings: [] }
  return checkCertificate({ crt, key, domain: wildcard.slice('x.'.length), now })
}

/** Whether a text is complete: placeholders are resolved later. */
function isKnown(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('$\u007b')
}
