import { boolean, map, object, oneOf, string } from '../../api/schema.ts'
import type { DriverDescriptor } from '../../domain/resource/driver.ts'

/** Path types of an Ingress. */
export const pathTypes = ['Prefix', 'Exact', 'ImplementationSpecific'] as const

/** Valid names of objects. */
export const objectNamePattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'
// An empty one is none.
const secretNamePattern = `^(${objectNamePattern})?$`
const labelPattern = '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$'

/** The plain inputs of the driver. */
export const ingressValues = object(
  {},
  {
    api_version: oneOf(['v1', 'v1beta1'], 'API version of the generated Ingress. `v1` when absent.'),
    class: string(
      'Ingress controller class: an annotation in `v1beta1`, `ingressClassName` in `v1`. No class when absent.',
      {
        maxLength: 253,
      },
    ),
    annotations: map(string('Annotation value.', { maxLength: 65_536 }), 'Annotations of the Ingress.'),
    labels: map(string('Label value.', { maxLength: 63, pattern: labelPattern }), 'Labels of the Ingress.'),
    no_tls: boolean('Whether the Ingress is made without TLS. False when absent.'),
    path_type: oneOf(pathTypes, 'Path type of paths that do not say theirs. `Prefix` when absent.'),
    tls_secret_name: string('Secret of the TLS certificate. That of the dns resource when absent.', {
      maxLength: 253,
      pattern: secretNamePattern,
    }),
  },
  'Inputs of the ingress driver.',
)

export const ingressDescriptor: DriverDescriptor = {
  name: 'ingress',
  description: 'Makes an Ingress from a dns resource, routes and the ingress sections of workloads.',
  resourceTypes: ['ingress'],
  account: { types: ['local'], required: false },
  values: ingressValues,
  secrets: object({}, {}, 'None.'),
  neighbours: { dns: 'dns', routes: 'dns<route' },
  takesIngressRules: true,
  outputNames: () => ['id'],
  replaceOnChangeOf: [],
}
