import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { plainSchema } from '../../../api-gateway/request/wire.ts'
import type { Kind, KubeObject } from '../../../operator/api/kind.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import type { TSchema } from '../../../operator/api/schema.ts'
import { kindsInStore } from '../../../operator/kube/cache/kinds-in-store.ts'
import { fc } from '../../support/properties.ts'
import { valuesOf } from './arbitraries.ts'
import type { Ids } from './everything.ts'
import type { FakeCluster } from './fake-cluster.ts'

/** Something that is stored, changed by kubectl. */
export interface Change {
  readonly kind: Kind
  readonly which: number
  readonly spec: object
  readonly kept: 'all' | 'none'
  readonly status: object | undefined
  readonly isDeleted: boolean
  readonly isUnmarked: boolean
}

const ajv = new Ajv2020({ strict: false, ownProperties: true })
formats.default(ajv)

/** Generates changes of the objects of `addEverything` that have these ids. */
export function changesOf(ids: Ids): fc.Arbitrary<Change> {
  const names = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, [id]]))
  const valueOf = valuesOf(
    {},
    {
      ...names,
      applicationName: ['acme-app', 'other', 'gone'],
      environmentName: ['acme-app.acme-env', 'other.other-env', 'gone.gone'],
    },
  )
  const fitting = (schema: TSchema) => {
    const fits = ajv.compile(plainSchema(schema))
    return valueOf(plainSchema(schema)).filter((value) => fits(value)) as fc.Arbitrary<object> // each is an object
  }
  const ofKind = ({ kind }: { kind: Kind }) =>
    fc.record({
      kind: fc.constant(kind),
      which: fc.nat(3),
      spec: fitting(kind.spec),
      kept: fc.constantFrom('all' as const, 'none' as const),
      status: kind.status ? fitting(kind.status) : fc.constant(undefined),
      isDeleted: fc.boolean(),
      isUnmarked: fc.boolean(),
    })
  return fc.oneof(...kindsInStore.map(ofKind))
}

/** Makes a change that the API server would accept; fields that its rules protect stay. */
export function makeChange(
  { store, put }: FakeCluster,
  { kind, which, spec, kept, status, isDeleted, isUnmarked }: Change,
): void {
  const all: KubeObject[] = Array.from(store.cacheOf(kind).all())
  const objects = all.filter(({ metadata }) => metadata.namespace !== systemNamespace)
  const found = objects[which % objects.length]
  if (!found || kind.kind === 'Membership') return
  const before = found['spec'] as object // all of our kinds have one
  const named = kind.kind === 'Environment' ? before : {}
  const { annotations, ...metadata } = found.metadata
  const changed = {
    ...found,
    metadata: {
      ...metadata,
      ...(isUnmarked || !annotations ? {} : { annotations }),
      ...(isDeleted ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    },
    spec: { ...(kept === 'all' ? before : {}), ...spec, ...named },
    ...(status ? { status } : {}),
  }
  put(kind, changed as never) // fits the schemas of the kind
}
