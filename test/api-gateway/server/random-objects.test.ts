import { afterAll, beforeAll, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { plainSchema } from '../../../api-gateway/request/wire.ts'
import type { Kind, KubeObject } from '../../../operator/api/kind.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import type { TSchema } from '../../../operator/api/schema.ts'
import { kindsInStore } from '../../../operator/kube/cache/kinds-in-store.ts'
import { fc } from '../../support/properties.ts'
import { valuesOf } from '../support/arbitraries.ts'
import { addApplication, addEverything, type Ids, keepState, pathWith } from '../support/everything.ts'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'
import { createClient, faultOf } from '../support/requests.ts'

const rounds = process.env.QUARTERMASTER_SOAK ? 500 : 30

/** Something that is stored, changed by kubectl. */
interface Change {
  readonly kind: Kind
  readonly which: number
  readonly spec: object
  readonly kept: 'all' | 'none'
  readonly status: object | undefined
  readonly isDeleted: boolean
  readonly isUnmarked: boolean
}

let gateway: TestGateway
let client: ReturnType<typeof createClient>
let restore: () => void
let ids: Ids

beforeAll(async () => {
  gateway = await startGateway()
  client = createClient(gateway)
  ids = await addEverything(gateway, 'acme', 'acme')
  await addApplication(gateway, 'acme', 'other', 'other')
  restore = keepState(gateway.cluster)
})
afterAll(async () => {
  client.close()
  await gateway.close()
})

const ajv = new Ajv2020({ strict: false, ownProperties: true })
formats.default(ajv)

function changes(): fc.Arbitrary<Change> {
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
function change({ kind, which, spec, kept, status, isDeleted, isUnmarked }: Change): void {
  const { store, put } = gateway.cluster
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

test('for every object that kubectl can store, every GET answers as documented', async () => {
  const gets = endpoints.filter(({ method }) => method === 'get')
  const headers = { authorization: `Bearer ${tokenOf('admin')}` }
  const property = fc.asyncProperty(fc.array(changes(), { minLength: 3, maxLength: 6 }), async (all) => {
    restore()
    for (const each of all) change(each)
    for (const { path } of gets) {
      const request = { method: 'GET', target: pathWith(path, ids), headers }
      const fault = faultOf(request, await client.send(request))
      if (fault !== undefined) throw new Error(fault)
    }
  })
  await fc.assert(property, { numRuns: rounds })
}, 300_000)
