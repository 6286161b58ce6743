import { expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { dependenciesOf, dependentsOf } from '../../../operator/controllers/shared/dependents.ts'
import { namespaceDescriptor } from '../../../operator/domain/resource/identity.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource, context } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'

const other = context({ environmentId: 'other' })

/** Resources of one environment, each with those before it that it depends on, and one resource of another environment. */
function resourcesOf(needs: readonly (readonly number[])[], at: number, isUsed: boolean): ActiveResource[] {
  const descriptors = needs.map((_, index) =>
    index === at % needs.length ? namespaceDescriptor : { type: 's3', resourceId: `shared.r${index}` },
  )
  const names = descriptors.map((each) => activeResource(each).metadata.name)
  const own = needs.map((each, index) => {
    const dependsOn = [...new Set(index === 0 ? [] : each.flatMap((need) => names[need % index] ?? []))]
    const unusedSince = index !== at % needs.length || isUsed ? undefined : '2026-01-01T00:00:00Z'
    return activeResource(descriptors[index] ?? namespaceDescriptor, { dependsOn, unusedSince })
  })
  return [...own, activeResource({ type: 's3', resourceId: 'shared.r0' }, { context: other })]
}

test('a resource has another one as dependency exactly if that has it as dependent, and the namespace has all that it does not need', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.nat(), { maxLength: 2 }), { minLength: 1, maxLength: 7 }),
      fc.nat(),
      fc.boolean(),
      (needs, at, isUsed) => {
        const { store, put } = createFakeCluster()
        const all = resourcesOf(needs, at, isUsed).map((each) => put(ActiveResource, each))
        const nameOf = ({ metadata }: ActiveResource) => metadata.name
        const forth = all.flatMap((each) =>
          dependenciesOf(each, store).map((name) => `${nameOf(each)} ${name}`),
        )
        const back = all.flatMap((each) =>
          dependentsOf(each, store).map((dependent) => `${nameOf(dependent)} ${nameOf(each)}`),
        )
        expect(forth.toSorted()).toEqual(back.toSorted())
        expect(new Set(forth).size).toBe(forth.length)
        const last = all[needs.length - 1]
        const namer = all[at % needs.length]
        if (last && namer && last !== namer)
          expect(dependenciesOf(last, store).includes(nameOf(namer))).toBe(
            isUsed || (last.spec.dependsOn ?? []).includes(nameOf(namer)),
          )
      },
    ),
    { numRuns: casesOf(500) },
  )
})
