import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import { finalStatus } from '../../../operator/controllers/deployment/deployment-failure.ts'
import {
  createRecordWait,
  endOfEarlierRun,
  finalizeDeployment,
} from '../../../operator/controllers/deployment/deployment-record.ts'
import { historyOf, isRepetition, runHash } from '../../../operator/domain/deployment/deployment-history.ts'
import { deploymentEvents } from '../../../operator/domain/deployment/events.ts'
import { outcomeOf } from '../../../operator/kube/loop/outcome.ts'
import { nextStatus, type Observed, statusOfError } from '../../../operator/kube/loop/status.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { ready, stalled } from '../../api-gateway/support/objects.ts'
import { storedObject } from '../../support/builders.ts'

const namespace = 'acme'
const startTime = '2026-02-01T00:00:00Z'
const cluster = createFakeCluster()
const plain = storedObject(
  EnvironmentDeployment,
  { namespace, name: 'release-1', creationTimestamp: startTime },
  { environmentName: 'shop.dev', deltaName: 'release-1' },
)
const spec = { applicationName: 'shop', typeName: 'development' }
const metadata = { namespace, name: 'shop.dev' }
const environment = (status: Environment['status'] = {}) =>
  ({ ...storedObject(Environment, metadata, spec), status }) as Environment // as the API server keeps it

/** The status that the loop writes for a deployment after this outcome. */
function statusOf(
  deployment: EnvironmentDeployment,
  look: () => Observed<typeof EnvironmentDeployment> | undefined,
) {
  const write = (observed = {}, error?: unknown) =>
    nextStatus(EnvironmentDeployment, deployment.status ?? {}, 1, { observed, outcome: outcomeOf(error) })
  try {
    return write(look()) as EnvironmentDeployment['status'] // of the kind
  } catch (error) {
    return write(statusOfError<typeof EnvironmentDeployment>(error), error) as EnvironmentDeployment['status'] // of the kind
  }
}

describe('a deployment that ran before', () => {
  const going = { ...plain, metadata: { ...plain.metadata, deletionTimestamp: startTime } }
  test.each<[outcome: string, conditions: object, holds: object]>([
    ['succeeded', ready, { Ready: 'True', AlreadyRan: 'True' }],
    ['failed', stalled, { Ready: 'False', Stalled: 'True', AlreadyRan: 'True' }],
  ])('and %s ends so again at once, without a webhook call', (_, conditions, holds) => {
    const past = {
      ...going,
      status: { startTime, setName: 'shop.one', ...conditions },
    } as EnvironmentDeployment // as it ended
    const remembering = environment(historyOf({}, [past]))
    const status = statusOf(plain, () => endOfEarlierRun(remembering, plain))
    const repeated = { ...plain, status } as EnvironmentDeployment // with a status
    const held = () => status?.conditions?.map(({ type, status: is }) => [type, is])
    expect(Object.fromEntries(held() ?? [])).toEqual(holds)
    expect(isRepetition(repeated)).toBe(true)
    expect(status?.conditions?.find(({ type }) => type === 'AlreadyRan')?.message).toContain("'release-1'")
    expect(deploymentEvents(repeated)).toEqual([])
    // The next reconcile gets a finished one.
    expect(statusOf(repeated, () => finalStatus(repeated))).toEqual(status)
  })

  test('is itself while it is under way', () => {
    const begun = { ...plain, status: { startTime } }
    const remembering = environment({ pastDeployments: [{ hash: runHash(plain), state: 'failed' }] })
    expect(endOfEarlierRun(remembering, begun)).toBeUndefined()
  })
})

describe('a deployment writes nothing before its environment remembers its set', () => {
  const lastPlanned = { deploymentName: 'release-1', hash: runHash(plain), setName: 'shop.one' }
  const others = { ...lastPlanned, hash: '0'.repeat(16) }
  beforeEach(() => {
    cluster.reset()
    cluster.addOrganization(namespace)
    cluster.put(Environment, environment({ lastPlanned: others }))
  })
  const setStatus = (status: object) => cluster.setStatus(Environment, namespace, 'shop.dev', status)
  const wait = createRecordWait(cluster)

  test('it continues when the set is already remembered', async () => {
    setStatus({ lastPlanned })
    await wait(plain, 'shop.one')
  })

  test('it continues as soon as the set is remembered', async () => {
    const waiting = wait(plain, 'shop.one')
    setStatus({ lastDeploymentNumber: 7, lastPlanned: others })
    setStatus({ lastPlanned })
    await waiting
  })

  test('it waits while the environment remembers the set of an earlier start', async () => {
    setStatus({ lastPlanned: { ...lastPlanned, setName: 'shop.before' } })
    let isOver = false
    const waiting = wait(plain, 'shop.one').then(() => {
      isOver = true
    })
    await setTimeout()
    expect(isOver).toBe(false)
    setStatus({ lastPlanned })
    await waiting
  })

  test('it no longer waits for an environment that is being deleted', async () => {
    const waiting = wait(plain, 'shop.one')
    cluster.drop(Environment, namespace, 'shop.dev')
    await expect(waiting).rejects.toMatchObject({ reason: 'NotRemembered' })
  })
})

describe('the delta of a deployment that is deleted', () => {
  const marks = { [annotations.artefactVersions]: 'a1' }
  const deploymentOf = (name: string, deltaName: string, annotated: Record<string, string> = {}) =>
    cluster.put(
      EnvironmentDeployment,
      storedObject(
        EnvironmentDeployment,
        { namespace, name, annotations: annotated },
        { environmentName: 'shop.dev', deltaName },
      ),
    )
  beforeEach(() => cluster.reset())

  test.each<[rule: string, deployment: () => EnvironmentDeployment, other: string, isKept: boolean]>([
    [
      'of an image is deleted with it',
      () => deploymentOf('shop.dev.auto-1', 'auto-1', marks),
      'auto-2',
      false,
    ],
    [
      'of an image stays while another deployment names it',
      () => deploymentOf('shop.dev.auto-1', 'auto-1', marks),
      'auto-1',
      true,
    ],
    ['of a user stays', () => deploymentOf('shop.dev.1', 'auto-1'), 'auto-2', true],
    [
      'of a user stays although the deployment has the mark',
      () => deploymentOf('shop.dev.1', 'auto-1', marks),
      'auto-2',
      true,
    ],
  ])('%s', async (_, deployment, other, isKept) => {
    cluster.put(
      DeploymentDelta,
      storedObject(DeploymentDelta, { namespace, name: 'auto-1' }, { applicationName: 'shop' }),
    )
    deploymentOf('shop.dev.other', other)
    const dispatcher = { notifyDeleted: async () => {} }
    for (const each of [deployment(), deployment()]) await finalizeDeployment(each, { cluster, dispatcher })
    expect(cluster.store.get(DeploymentDelta, namespace, 'auto-1') !== undefined).toBe(isKept)
  })
})
