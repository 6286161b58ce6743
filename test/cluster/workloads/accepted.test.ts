import { beforeAll, describe, expect, test } from '@jest/globals'
import { apiRequest } from '../../../dev/control-plane/kubernetes.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import {
  type ModuleParams,
  type ReadModule,
  readModule,
} from '../../../operator/domain/module/module-problems.ts'
import { renderWorkload } from '../../../operator/domain/rendering/render.ts'
import { oddModules } from '../../domain/module/support/odd-modules.ts'
import { validModules } from '../../domain/module/support/valid-modules.ts'
import { renderedScore, scoreFiles } from '../../domain/score/rendered-scores.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const plurals: Readonly<Record<string, string>> = {
  ServiceAccount: 'api/v1 serviceaccounts',
  ConfigMap: 'api/v1 configmaps',
  Secret: 'api/v1 secrets',
  Service: 'api/v1 services',
  Deployment: 'apis/apps/v1 deployments',
  StatefulSet: 'apis/apps/v1 statefulsets',
  Job: 'apis/batch/v1 jobs',
  CronJob: 'apis/batch/v1 cronjobs',
}
let namespace = ''

beforeAll(async () => {
  const { id } = await makeTestOrganization(sharedCluster(), 'accept')
  namespace = id
  // The API server warns of pods that the level restricted forbids.
  const path = `/api/v1/namespaces/${namespace}?fieldManager=test`
  const metadata = { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } }
  await apiRequest(sharedCluster().access, 'PATCH', path, { metadata }, 'application/merge-patch+json')
})

/** The problem that the API server has with an object; undefined when it accepts it. */
async function refusal(object: KubeObject): Promise<unknown> {
  const [root, plural] = plurals[object.kind]?.split(' ') ?? []
  const query = 'fieldManager=test&force=true&dryRun=All&fieldValidation=Strict'
  const path = `/${root}/namespaces/${namespace}/${plural}/${object.metadata.name}?${query}`
  const answer = await apiRequest(
    sharedCluster().access,
    'PATCH',
    path,
    object,
    'application/apply-patch+yaml',
  )
  return answer.status < 300 ? undefined : { object, answer: answer.body }
}

/** The pods of an object, as the level restricted judges them. */
function podOf({ kind, spec }: KubeObject): KubeObject | undefined {
  type Holder = { template?: { spec: object }; jobTemplate?: { spec: Holder } }
  const templateOf = (holder: Holder): { spec: object } | undefined =>
    holder.template ?? (holder.jobTemplate && templateOf(holder.jobTemplate.spec))
  const template = plurals[kind]?.startsWith('apis/') ? templateOf(spec as Holder) : undefined
  return (
    template && {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'probe' },
      spec: { ...template.spec, serviceAccountName: undefined },
    }
  )
}

/** The API server accepts all of the objects, and their pods at the level restricted. */
async function expectAccepted(objects: readonly KubeObject[]): Promise<void> {
  for (const each of objects) expect(await refusal(each)).toBeUndefined()
  const pods = objects.map(podOf).filter((each) => each !== undefined)
  for (const pod of pods) {
    const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`
    const { status, body } = await apiRequest(sharedCluster().access, 'POST', path, pod)
    expect({ status, body: status < 300 || body }).toEqual({ status: 201, body: true })
  }
}

const readPlanned = (params: ModuleParams) => readModule(params, ['quartermaster', 'humanitec'])

function objectsOf(read: ReadModule): KubeObject[] {
  const { objects } = renderWorkload({
    workload: { id: read.id, guResId: 'b'.repeat(40), applicationId: 'shop' },
    organizationId: namespace,
    namespace,
    read,
    parts: [],
    hash: () => 'hash',
  })
  return objects
}

test('the API server accepts the objects of every valid module, with all of their fields, and their pods at the level restricted', async () => {
  await fc.assert(
    fc.asyncProperty(validModules, async (params) => {
      const read = readPlanned(params)
      expect(read.problems).toEqual([])
      await expectAccepted(objectsOf(read))
    }),
    { numRuns: casesOf(100) },
  )
})

test('the API server accepts the objects of every module that the plan has no problem with', async () => {
  await fc.assert(
    fc.asyncProperty(oddModules, async (params) => {
      const read = readPlanned(params)
      fc.pre(read.problems.length === 0)
      for (const each of objectsOf(read)) expect(await refusal(each)).toBeUndefined()
    }),
    { numRuns: casesOf(200) },
  )
})

describe('the API server accepts the objects of a Score file', () => {
  test.each(scoreFiles)('%s', async (name) => {
    await expectAccepted(renderedScore(name, namespace))
  })
})
