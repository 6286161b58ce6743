import { beforeAll, expect, test } from '@jest/globals'
import { apiRequest } from '../../../dev/control-plane/kubernetes.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { type ModuleParams, readModule } from '../../../operator/domain/module/module-problems.ts'
import { renderWorkload } from '../../../operator/domain/rendering/render.ts'
import { validModules } from '../../domain/module/support/valid-modules.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const [changed, fresh] = ['changed', 'fresh']
const kinds: Readonly<Record<string, string>> = {
  Deployment: 'apis/apps/v1 deployments',
  CronJob: 'apis/batch/v1 cronjobs',
}
const namespaces = new Map<string, string>()

beforeAll(async () => {
  for (const each of [changed, fresh]) {
    const { id } = await makeTestOrganization(sharedCluster(), each)
    namespaces.set(each, id)
    const quota = { metadata: { name: 'no-pods' }, spec: { hard: { pods: '0' } } }
    const path = `/api/v1/namespaces/${id}/resourcequotas`
    await apiRequest(sharedCluster().access, 'POST', path, quota)
  }
})

/** The containers have the same names in all modules, so that those of one take the place of those of another. */
function withNames(params: ModuleParams): ModuleParams {
  const spec = params.spec as FreeForm // of a valid module
  const names = Object.keys(spec.containers as FreeForm)
  const renamed = (containers: unknown) =>
    containers &&
    Object.fromEntries(
      Object.entries(containers).map(([name, { id: _, ...rest }]: [string, FreeForm]) => [
        `c${names.indexOf(name)}`,
        rest,
      ]),
    )
  const schedules = Object.values((spec.schedules ?? {}) as Record<string, FreeForm>).map(
    (each, i) => [`s${i}`, { ...each, containers: renamed(each.containers) }] as const,
  )
  return {
    ...params,
    id: 'same',
    spec: {
      ...spec,
      containers: renamed(spec.containers),
      ...(schedules.length > 0 ? { schedules: Object.fromEntries(schedules) } : {}),
    },
  } as ModuleParams
}

function objectsOf(params: ModuleParams): KubeObject[] {
  const read = readModule(withNames(params), ['quartermaster', 'humanitec'])
  expect(read.problems).toEqual([])
  const { objects } = renderWorkload({
    workload: { id: read.id, guResId: 'b'.repeat(40), applicationId: 'shop' },
    organizationId: 'acme',
    namespace: 'acme',
    read,
    parts: [],
    hash: () => 'hash',
  })
  return objects.filter(({ kind }) => kind in kinds)
}

async function request(method: string, where: string, object: KubeObject, query = '') {
  const [root, plural] = kinds[object.kind]?.split(' ') ?? []
  const namespace = namespaces.get(where)
  const path = `/${root}/namespaces/${namespace}/${plural}/${object.metadata.name}?${query}`
  const body = { ...object, metadata: { ...object.metadata, namespace } }
  const { access } = sharedCluster()
  const answer = await (method === 'DELETE'
    ? apiRequest(access, method, path)
    : apiRequest(access, method, path, body, 'application/apply-patch+yaml'))
  expect({ status: answer.status < 300 || answer.body }).toEqual({ status: true })
  return answer.body as unknown as { spec: unknown }
}

const apply = (where: string, object: KubeObject, query = '') =>
  request('PATCH', where, object, `fieldManager=test&force=true${query}`)

test('the objects of a module do not depend on the module before it', async () => {
  const pairs = fc.tuple(validModules, validModules).filter(([before, after]) => {
    const [first, second] = [objectsOf(before), objectsOf(after)]
    return second.some(({ kind }) => first.some((each) => each.kind === kind))
  })
  await fc.assert(
    fc.asyncProperty(pairs, async ([before, after]) => {
      const [first, second] = [objectsOf(before), objectsOf(after)]
      for (const each of first) await apply(changed, each)
      for (const each of second) {
        const { spec } = await apply(changed, each)
        expect(spec).toEqual((await apply(fresh, each, '&dryRun=All')).spec)
      }
      const all = new Map([...first, ...second].map((each) => [each.kind + each.metadata.name, each]))
      for (const each of all.values()) await request('DELETE', changed, each)
    }),
    { numRuns: casesOf(200) },
  )
})
