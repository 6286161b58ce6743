// What hundreds of versions ask for is made once. Law: after any changes, it is what would be made anew.
import { expect, test } from '@jest/globals'
import { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { AutomationRule } from '../../../operator/api/automation-rule.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { createWantedIn } from '../../../operator/controllers/image/wanted-in.ts'
import { targetIn, targetsOf, wantedVersions } from '../../../operator/domain/image/automation.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { casesOf, fc } from '../../support/properties.ts'

const namespace = 'acme'
const environmentIds = ['dev', 'live']
const nameOf = (id: string) => `shop.${id}`
const cluster = createFakeCluster()
const { store } = cluster
const wantedIn = createWantedIn(store)

const index = fc.nat({ max: 3 })
const ruleNumber = fc.nat({ max: 1 })
const place = fc.constantFrom(...environmentIds)
const change = fc.oneof(
  fc.record({ kind: fc.constant('register' as const), index, image: fc.constantFrom('web', 'api') }),
  fc.record({ kind: fc.constant('archive' as const), index }),
  fc.record({ kind: fc.constant('forget' as const), index }),
  fc.record({
    kind: fc.constant('outcome' as const),
    index,
    place,
    outcome: fc.constantFrom(undefined, 'Deployed', 'Archived', 'Superseded'),
  }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('rule' as const),
      place,
      number: ruleNumber,
      // A rule may also come back as it was: a late watch, after the status of a version names it.
      life: fc.nat({ max: 1 }),
      image: fc.constantFrom('web', undefined),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), place, number: ruleNumber }) },
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function register(name: string, image: string): void {
  const spec = { type: 'container' as const, artefactName: `r.test/${image}`, version: name }
  const { metadata } = cluster.put(ArtefactVersion, newObject(ArtefactVersion, { namespace, name }, spec))
  const environments = targetsOf(store.list(AutomationRule, namespace))
  cluster.setStatus(ArtefactVersion, namespace, name, {
    createdVersion: metadata.resourceVersion,
    environments,
  })
}

function apply(each: Change): void {
  if (each.kind === 'rule' || each.kind === 'end') {
    const name = `rule-${each.place}-${each.number}`
    if (each.kind === 'end') {
      if (store.get(AutomationRule, namespace, name)) cluster.drop(AutomationRule, namespace, name)
      return
    }
    const filter = each.image === undefined ? {} : { artefactsFilter: [`r.test/${each.image}`] }
    const spec = { applicationName: 'shop', environmentId: each.place, ...filter }
    const uid = `${name}.${each.life}`
    const known = store.get(AutomationRule, namespace, name)
    if (known && known.metadata.uid !== uid) cluster.drop(AutomationRule, namespace, name)
    cluster.put(AutomationRule, newObject(AutomationRule, { namespace, name, uid }, spec))
    return
  }
  const name = `v${each.index}`
  const known = store.get(ArtefactVersion, namespace, name)
  if (each.kind === 'register' && !known) register(name, each.image)
  if (!known) return
  if (each.kind === 'forget') cluster.drop(ArtefactVersion, namespace, name)
  if (each.kind === 'archive') {
    const { metadata, spec, status } = known
    cluster.put(ArtefactVersion, {
      ...newObject(ArtefactVersion, metadata, { ...spec, archived: true }),
      status,
    } as never)
  }
  if (each.kind === 'outcome') {
    const environments = known.status?.environments?.map((target) =>
      target.environmentName === nameOf(each.place) ? { ...target, outcome: each.outcome } : target,
    )
    cluster.setStatus(ArtefactVersion, namespace, name, { ...known.status, environments })
  }
}

test('the versions that an environment waits for are always what their objects say now', () => {
  const rules = environmentIds.map(
    (id): Change => ({ kind: 'rule', place: id, number: 0, life: 0, image: undefined }),
  )
  const versions = (['web', 'web', 'api'] as const).map(
    (image, at): Change => ({ kind: 'register', index: at, image }),
  )
  let most = 0
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      cluster.reset()
      cluster.addOrganization(namespace)
      for (const each of [...rules, ...versions, ...changes]) {
        apply(each)
        for (const id of environmentIds) {
          const key = `${namespace}/${nameOf(id)}`
          const own = store.byIndex(AutomationRule, 'environment', key)
          const all = store.byIndex(ArtefactVersion, 'environment', key)
          const namesOf = (found: readonly ArtefactVersion[]) =>
            found.map(({ metadata }) => metadata.name).sort()
          const wanted = namesOf(wantedIn(key, nameOf(id), own))
          expect(wanted).toEqual(namesOf(wantedVersions(all, nameOf(id), own)))
          most = Math.max(most, wanted.length)
          for (const version of all)
            expect(targetIn(version, nameOf(id))).toBe(
              version.status?.environments?.find(({ environmentName }) => environmentName === nameOf(id)),
            )
        }
      }
    }),
    { numRuns: casesOf(300) },
  )
  expect(most).toBeGreaterThan(1)
})
