import { fc } from '../../../support/properties.ts'
import { copy, fresh, old } from '../environments.ts'
import { type Definition, rarely, word } from './definition.ts'

/** Of the organization; the cluster administrator opens it for all environments. */
export const commonNamespace = 'common'

/** Ends of the names of the namespaces that the cluster administrator opens, `<organization>-<end>`. */
export const openedNamespaces = [
  commonNamespace,
  ...[old, fresh, copy].flatMap((environment) => [`${environment}-a`, `${environment}-b`]),
]

const opened = (end: 'a' | 'b') => ({ namespace: `@org-\${context.env.id}-${end}` })
const closed = { namespace: 'kube-system' }

/** A template that makes the namespace, whose label may change. */
function making(label: string): object {
  const name = '@org--${context.env.id}-made'
  const data = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'example.test/label': label } },
  }
  return { templates: { manifests: { own: { location: 'cluster', data } }, outputs: { namespace: name } } }
}

/** Where the objects of an environment are; `@org` is the id of the organization. */
export const namespaceDefinition: fc.Arbitrary<Definition> = fc
  .record({
    number: fc.integer({ min: 0, max: 2 }),
    values: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('a' as const, 'b' as const).map(opened) },
      { weight: 4, arbitrary: word.map(making) },
      { weight: 1, arbitrary: fc.constant(closed) },
    ),
    criterion: rarely({ envType: 'development' }, fc.constantFrom({}, { appId: 'shop' })),
  })
  .map(({ number, values, criterion }) => ({
    name: `namespace-${number}`,
    spec: {
      type: 'k8s-namespace',
      driverType: `quartermaster/${'templates' in values ? 'template' : 'echo'}`,
      driverInputs: { values: values as Record<string, unknown> },
      criteria: [criterion],
    },
  }))
