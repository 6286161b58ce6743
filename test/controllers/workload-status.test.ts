import { beforeEach, expect, test } from '@jest/globals'
import { DeploymentSet } from '../../operator/api/deployment-set.ts'
import { Environment } from '../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { progressOf } from '../../operator/controllers/workload/workload-status.ts'
import { emptySet } from '../../operator/domain/delta/delta.ts'
import { convertScore } from '../../operator/domain/score/convert-score.ts'
import type { Planning } from '../../operator/planning/planning.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../support/builders.ts'
import { scoreDocument } from '../support/scores.ts'

const namespace = 'acme'
const cluster = createFakeCluster()
const environment = storedObject(
  Environment,
  { namespace, name: 'shop.dev' },
  { applicationName: 'shop', typeName: 'development' },
)
const content = convertScore({ document: scoreDocument({ image: 'web:1' }) })
const planning = { deployedSet: () => emptySet } as Partial<Planning> as Planning // all that is asked for
const failed = [{ type: 'Stalled', status: 'True', reason: 'NoMatchingDefinition', message: 'none matches' }]
const succeeded = [{ type: 'Ready', status: 'True', reason: 'Reconciled', message: '' }]

function addDeployment(number: number, spec: object, status: object): void {
  const name = `shop.dev.${number}`
  const metadata = { namespace, name, creationTimestamp: `2026-02-01T00:00:0${number}Z` }
  const own = { environmentName: 'shop.dev', ...spec }
  cluster.put(EnvironmentDeployment, storedObject(EnvironmentDeployment, metadata, own))
  cluster.setStatus(EnvironmentDeployment, namespace, name, status)
}

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization(namespace)
  const set = { applicationName: 'shop', modules: { [content.id]: content.module }, shared: {} }
  cluster.put(DeploymentSet, storedObject(DeploymentSet, { namespace, name: 'shop.wanted' }, set))
  addDeployment(1, { workloads: 'hash' }, { setName: 'shop.wanted', conditions: failed })
})

test.each<[situation: string, prepare: () => void, state: object]>([
  ['has failed when its deployment failed', () => {}, { state: 'failed', deploymentName: 'shop.dev.1' }],
  [
    'has failed still when a later deployment brought something else',
    () => addDeployment(2, { setName: 'shop.other' }, { setName: 'shop.other', conditions: succeeded }),
    { state: 'failed', deploymentName: 'shop.dev.1' },
  ],
  [
    'is pending when it is tried again',
    () => addDeployment(2, { workloads: 'hash' }, { setName: 'shop.wanted' }),
    { state: 'pending' },
  ],
])('a Workload %s', (_, prepare, expected) => {
  prepare()
  const entry = { environmentId: 'dev', state: 'pending' as const, contentHash: 'h' }
  const progress = progressOf(environment, content, entry, true, { store: cluster.store, planning })
  expect(progress).toMatchObject(expected)
})
