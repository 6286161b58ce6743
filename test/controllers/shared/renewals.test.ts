import { beforeEach, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Renewals } from '../../../operator/controllers/shared/renewals.ts'
import type { SecretReader } from '../../../operator/controllers/shared/secrets.ts'
import { environmentKeyOf } from '../../../operator/kube/cache/kinds-in-store.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../../support/builders.ts'

const cluster = createFakeCluster()
const run = { uid: '1', isForced: false, secrets: {} as SecretReader }
let renewals: Renewals
let enqueued: string[]

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization('acme')
  renewals = new Renewals(cluster.store)
  enqueued = []
  renewals.onEnqueue((key) => enqueued.push(key))
})

const put = (name: string) =>
  cluster.put(ActiveResource, activeResource({ type: 's3', resourceId: `shared.${name}` }))

test('a marked resource is reconciled when the deployment has written all resources', () => {
  const resource = put('files')
  renewals.start(environmentKeyOf(resource), run, [resource])
  renewals.enqueue(environmentKeyOf(resource))
  expect(enqueued).toEqual([keyOf(resource)])
})

test('a resource whose reconcile began before that is not reconciled again', () => {
  const [fresh, known] = [put('fresh'), put('known')]
  const environment = environmentKeyOf(fresh)
  renewals.start(environment, run, [known])
  const passes = [renewals.provisioning(renewals.begin(fresh)), renewals.begin(known)]
  renewals.enqueue(environment)
  expect(enqueued).toEqual([])
  expect(renewals.pendingIn(environment)).toBe(2)
  for (const pass of passes) if (pass) renewals.complete(pass, { isChanged: false })
  expect(renewals.pendingIn(environment)).toBe(0)
})

test.each<[what: string, isChanged: boolean, earlier: string | undefined, isForced: boolean, marked: number]>(
  [
    ['changed inputs or outputs', true, '2026-01-01T00:00:00Z', false, 1],
    ['nothing changed', false, '2026-01-01T00:00:00Z', false, 0],
    ['its first outputs, for which a new dependent waits', true, undefined, false, 0],
    ['changed outputs, in a run that marked all resources before', true, '2026-01-01T00:00:00Z', true, 0],
  ],
)('after a provision with %s, the deployment waits for the dependents', (_, ...given) => {
  const [isChanged, provisionTime, isForced, marked] = given
  const descriptor = { type: 's3', resourceId: 'shared.base' }
  const resource = cluster.put(ActiveResource, { ...activeResource(descriptor), status: { provisionTime } })
  const dependsOn = [resource.metadata.name]
  cluster.put(ActiveResource, activeResource({ type: 's3', resourceId: 'shared.user' }, { dependsOn }))
  const environment = environmentKeyOf(resource)
  renewals.start(environment, { ...run, isForced }, [resource])
  const pass = renewals.begin(resource)
  if (pass) renewals.complete(pass, { isChanged })
  expect(renewals.pendingIn(environment)).toBe(marked)
})

test('another attempt reads Secrets again, so that it sees what a user corrected since', () => {
  const resource = put('files')
  renewals.start(environmentKeyOf(resource), run, [resource])
  const attempts = [renewals.begin(resource), renewals.begin(resource)]
  expect(attempts.map((each) => each?.secrets)).toEqual([run.secrets, undefined])
})

test('a dependent is reconciled after the last of its dependencies', () => {
  const [first, last] = [put('first'), put('last')]
  const dependsOn = [first.metadata.name, last.metadata.name]
  const user = cluster.put(
    ActiveResource,
    activeResource({ type: 's3', resourceId: 'shared.user' }, { dependsOn }),
  )
  const environment = environmentKeyOf(user)
  renewals.start(environment, run, [user, first, last])
  renewals.enqueue(environment)
  expect(enqueued).toEqual([keyOf(first), keyOf(last)])
  const passes = [renewals.begin(first), renewals.begin(last)]
  for (const pass of passes) {
    expect(enqueued).not.toContain(keyOf(user))
    if (pass) renewals.complete(pass, { isChanged: false })
  }
  expect(enqueued).toContain(keyOf(user))
})
