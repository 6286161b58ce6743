import { apiRequest } from '../../../dev/control-plane/kubernetes.ts'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { KubeObject, StoredObject } from '../../../operator/api/kind.ts'
import { eventually, makeTestOrganization, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

/** An organization with an application, and the objects in the namespaces of its environments. */
export interface Stage {
  readonly organization: Organization
  /** The objects of a kind in the namespace of an environment. */
  objects(environment: string, resource: Path): Promise<StoredObject[]>
  object(environment: string, resource: Path, name: string): Promise<StoredObject | undefined>
  /** A request about the namespace of an environment. */
  request(method: string, environment: string, path: string, body?: unknown): Promise<KubeObject>
  workload(environment: string, name: string): Promise<ActiveResource | undefined>
  /** Begins a deployment of these modules; does not wait for its end. */
  begin(environment: string, modules: object, shared?: object): Promise<string>
  until(what: string, holds: () => Promise<unknown>): Promise<unknown>
  problems(deployment: EnvironmentDeployment): string[]
}

type Path = `${'api/v1' | `apis/${string}/v1`} ${string}`

export const canary = 'canary-4711-of-a-database'

/** Makes the stage with an echo definition of databases, whose password is `canary`. */
export async function makeStage(): Promise<Stage> {
  const cluster = sharedCluster()
  const organization = await makeTestOrganization(cluster, 'work')
  const namespaceOf = (environment: string) => `${organization.id}--shop--${environment}`
  await organization.application('shop')
  await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login' },
    stringData: { password: canary },
  })
  await organization.define('database', {
    type: 'postgres',
    driverType: 'quartermaster/echo',
    driverInputs: {
      values: { host: 'db.internal', port: 5432 },
      secretRefs: { password: { secret: 'login', key: 'password' } },
    },
    criteria: [{}],
  })
  let begun = 0

  async function request(method: string, environment: string, path: string, body?: unknown) {
    const [root = '', rest = ''] = path.split(' ')
    const type = method === 'PATCH' ? 'application/merge-patch+json' : undefined
    const url = `/${root}/namespaces/${namespaceOf(environment)}/${rest}`
    const { status, body: answer } = await apiRequest<KubeObject>(cluster.access, method, url, body, type)
    if (status >= 300) throw new Error(`${method} ${url}: ${status} ${JSON.stringify(answer)}`)
    return answer
  }
  async function objects(environment: string, resource: Path) {
    const { items } = await request('GET', environment, resource)
    return items as StoredObject[] // a list
  }
  return {
    organization,
    request,
    objects,
    async object(environment, resource, name) {
      const all = await objects(environment, resource)
      return all.find(({ metadata }) => metadata.name === name)
    },
    async workload(environment, name) {
      const resources = await organization.resources()
      return resources.find(
        ({ spec }) => spec.environmentName === `shop.${environment}` && spec.resourceId === `modules.${name}`,
      )
    },
    async begin(environment, modules, shared = {}) {
      begun += 1
      const setName = `shop.begun-${begun}`
      await organization.apply('deploymentsets', 'DeploymentSet', setName, {
        applicationName: 'shop',
        modules,
        shared,
      })
      const name = `begun-${environment}-${begun}`
      await organization.apply('environmentdeployments', 'EnvironmentDeployment', name, {
        environmentName: `shop.${environment}`,
        setName,
      })
      return name
    },
    until: (what, holds) => eventually(what, 30_000, async () => (await holds()) || undefined),
    problems: ({ status }) =>
      (status?.problems ?? []).map(({ object, reason, message }) => `${object} ${reason} ${message}`),
  }
}
