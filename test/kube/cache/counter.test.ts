import { expect, test } from '@jest/globals'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { createCache } from '../../../operator/kube/cache/cache.ts'
import { createCounter } from '../../../operator/kube/cache/counter.ts'
import { storedMeta } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'

interface Thing extends StoredObject {
  readonly spec: { readonly group?: string; readonly bucket: 'ready' | 'pending' } | undefined
}

function thing(name: string, resourceVersion: number, spec: Thing['spec']): Thing {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: storedMeta({
      namespace: 'acme',
      name,
      uid: `${name} ${resourceVersion}`,
      resourceVersion: String(resourceVersion),
    }),
    spec,
  }
}

const place = ({ spec }: Thing) => {
  // As a rule reads an object that was stored without a spec.
  const { group, bucket } = spec as NonNullable<Thing['spec']>
  return group === undefined ? undefined : { group, bucket }
}

const change = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  spec: fc.option(
    fc.record(
      { group: fc.constantFrom('g', 'h'), bucket: fc.constantFrom('ready' as const, 'pending' as const) },
      { requiredKeys: ['bucket'] },
    ),
    { nil: undefined },
  ),
  isRemoved: fc.boolean(),
})

test('a counter equals the count of all objects, for all changes before and since its start', () => {
  const law = fc.property(fc.array(change), fc.array(change), (before, since) => {
    const cache = createCache<Thing>({}, () => {})
    let version = 0
    const apply = ({ name, spec, isRemoved }: (typeof before)[number]) => {
      version += 1
      const known = cache.get('acme', name)
      if (!isRemoved) cache.set(thing(name, version, spec))
      else if (known) cache.remove(known)
    }
    before.forEach(apply)
    const counter = createCounter(cache, ['ready', 'pending'], place)
    since.forEach(apply)
    for (const group of ['g', 'h']) {
      const counted = (bucket: string) =>
        [...cache.all()].filter(({ spec }) => spec?.group === group && spec.bucket === bucket).length
      expect(counter.of(group)).toEqual({ ready: counted('ready'), pending: counted('pending') })
    }
  })
  fc.assert(law, { numRuns: casesOf(500) })
})

test('a group without objects counts nothing', () => {
  const counter = createCounter(
    createCache<Thing>({}, () => {}),
    ['ready', 'pending'],
    place,
  )
  expect(counter.of('nowhere')).toEqual({ ready: 0, pending: 0 })
})
