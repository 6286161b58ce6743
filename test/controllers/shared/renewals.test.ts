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
