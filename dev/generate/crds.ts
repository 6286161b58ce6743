import type { Kind } from '../../operator/api/kind.ts'
import { group, productVersion, version } from '../../operator/api/names.ts'
import { atomic } from '../../operator/api/schema.ts'

/** The CustomResourceDefinition of a kind, as plain data. Its label lets the cluster refuse an older version of the kind. */
export function crdOf(kind: Kind) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${kind.plural}.${group}`,
      labels: { 'app.kubernetes.io/version': productVersion },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        shortNames: [kind.shortName],
        ...(kind.inCategory ? { categories: ['quartermaster'] } : {}),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(kind.status ? { subresources: { status: {} } } : {}),
          additionalPrinterColumns: kind.columns.map(({ type = 'string', ...column }) => ({
            type,
            ...column,
          })),
          ...(kind.selectableFields.length > 0
            ? { selectableFields: kind.selectableFields.map((jsonPath) => ({ jsonPath })) }
            : {}),
          schema: { openAPIV3Schema: schemaOf(kind) },
        },
      ],
    },
  }
}

function schemaOf(kind: Kind) {
  return {
    type: 'object',
    description: kind.description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'Version of the API of this object.' },
      kind: { type: 'string', description: 'Kind of this object.' },
      metadata: { type: 'object' },
      spec: kind.spec,
      ...(kind.status ? { status: atomic(kind.status) } : {}),
    },
    ...(kind.rules.length > 0 ? { 'x-kubernetes-validations': kind.rules } : {}),
  }
}
