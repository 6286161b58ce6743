import { randomBytes } from 'node:crypto'
import { type ApiResponse, apiCall, apiRequest, eventually } from '../../../dev/control-plane/kubernetes.ts'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import { hasContainers } from '../../../operator/domain/module/module-problems.ts'
import type { SharedCluster } from './shared-cluster.ts'

const apiGroup = '/apis/quartermaster.dev/v1alpha1'
const apiVersion = 'quartermaster.dev/v1alpha1'

/** An answer of the gateway. */
export interface RestAnswer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of many shapes
  readonly body: any
}

/** One organization of a test file, through REST and kubectl. */
export interface Organization {
  readonly id: string
  rest(method: string, path: string, body?: unknown): Promise<RestAnswer>
  /** Server-side apply of an object of this API group, by kind and name. */
  apply(plural: string, kind: string, name: string, spec: object): Promise<KubeObject>
  get<T = KubeObject>(plural: string, name: string): Promise<T | undefined>
  list<T = KubeObject>(plural: string): Promise<T[]>
  remove(plural: string, name: string): Promise<void>
  kube<T = unknown>(
    method: string,
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<ApiResponse<T>>
  define(name: string, spec: object): Promise<KubeObject>
  application(name: string): Promise<void>
  environment(application: string, name: string, type?: string): Promise<void>
  /** Deploys a set of modules and shared dependencies by kubectl, and waits for the end. */
  deploy(
    environmentName: string,
    content: { modules?: object; shared?: object },
  ): Promise<EnvironmentDeployment>
  ended(deploymentName: string, withinMs?: number): Promise<EnvironmentDeployment>
  /** Waits until the gateway, which receives writes of kubectl a moment later, answers so; answers the body. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of many shapes
  untilRest(path: string, fits?: (body: any) => unknown): Promise<any>
  allResources(): Promise<ActiveResource[]>
  /** Without the workloads of modules that have no containers. */
  resources(): Promise<ActiveResource[]>
}

const environmentTypes = ['development', 'production']

/** Makes a labelled namespace with the environment types `development` and `production`. */
export async function makeTestOrganization(
  cluster: Pick<SharedCluster, 'access'> & { readonly gatewayUrl?: string; readonly adminToken?: string },
  prefix = 'org',
): Promise<Organization> {
  const { access, gatewayUrl = '', adminToken = '' } = cluster
  const id = `${prefix}-${randomBytes(4).toString('hex')}`
  const inside = `${apiGroup}/namespaces/${id}`
  let deployments = 0
  /** Waits until the gateway knows, where one runs. */
  const known = async (path: string) => {
    if (gatewayUrl !== '') await organization.untilRest(path)
  }

  const organization: Organization = {
    id,
    async rest(method, path, body) {
      const headers = {
        authorization: `Bearer ${adminToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const answer = await fetch(`${gatewayUrl}/orgs/${id}${path}`, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
      })
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
    },
    apply: (plural, kind, name, spec) =>
      apiCall<KubeObject>(
        access,
        'PATCH',
        `${inside}/${plural}/${name}?fieldManager=test&force=true`,
        { apiVersion, kind, metadata: { name }, spec },
        'application/apply-patch+yaml',
      ),
    async get<T>(plural: string, name: string) {
      const { status, body } = await apiRequest<T>(access, 'GET', `${inside}/${plural}/${name}`)
      return status === 404 ? undefined : body
    },
    async list<T>(plural: string) {
      return (await apiCall<{ items: T[] }>(access, 'GET', `${inside}/${plural}`)).items
    },
    async remove(plural, name) {
      await apiCall(access, 'DELETE', `${inside}/${plural}/${name}`)
    },
    kube: (method, path, body, contentType) => apiRequest(access, method, path, body, contentType),
    define: (name, spec) => organization.apply('resourcedefinitions', 'ResourceDefinition', name, spec),
    async application(name) {
      await organization.apply('applications', 'Application', name, {})
      await known(`/apps/${name}`)
    },
    async environment(application, name, typeName = 'development') {
      await organization.apply('environments', 'Environment', `${application}.${name}`, {
        applicationName: application,
        typeName,
      })
      await known(`/apps/${application}/envs/${name}`)
    },
    async deploy(environmentName, { modules = {}, shared = {} }) {
      deployments += 1
      const applicationName = environmentName.split('.')[0] ?? ''
      const setName = `${applicationName}.test-${deployments}`
      await organization.apply('deploymentsets', 'DeploymentSet', setName, {
        applicationName,
        modules,
        shared,
      })
      const name = `${environmentName}.${deployments}`
      await organization.apply('environmentdeployments', 'EnvironmentDeployment', name, {
        environmentName,
        setName,
      })
      return organization.ended(name)
    },
    untilRest: (path, fits = () => true) =>
      eventually(`'${path}' over REST`, 30_000, async () => {
        const { status, body } = await organization.rest('GET', path)
        if (status !== 200 || !fits(body)) throw new Error(`${status} ${JSON.stringify(body)}`)
        return { body }
      }).then(({ body }) => body),
    ended: (name, withinMs = 60_000) =>
      eventually(`the end of deployment '${name}'`, withinMs, async () => {
        const deployment = await organization.get<EnvironmentDeployment>('environmentdeployments', name)
        return deployment && isFinished(deployment) ? deployment : undefined
      }),
    allResources: () => organization.list<ActiveResource>('activeresources'),
    async resources() {
      const all = await organization.allResources()
      return all.filter(({ spec }) => spec.type !== 'workload' || hasContainers(spec.params ?? {}))
    },
  }
  await apiCall(access, 'POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: id, labels: { 'quartermaster.dev/organization': id } },
  })
  for (const type of environmentTypes) {
    await organization.apply('environmenttypes', 'EnvironmentType', type, {})
  }
  for (const type of environmentTypes) await known(`/env-types/${type}`)
  return organization
}

/** A module with the given private dependencies. */
export function moduleWith(externals: object, spec: object = {}): object {
  return { profile: 'quartermaster/default-module', spec, externals }
}

/** The status of a condition, or undefined. */
export function conditionStatus(
  object: { readonly [field: string]: unknown } | object | undefined,
  type: string,
): string | undefined {
  const status = (object as { status?: unknown } | undefined)?.status as
    | { conditions?: { type: string; status: string }[] }
    | undefined // of this API group
  return status?.conditions?.find((each) => each.type === type)?.status
}

/** Reason and message of `Ready`. */
export function readyOf(object: { readonly [field: string]: unknown } | object | undefined): {
  reason: string
  message: string
} {
  const status = (object as { status?: unknown } | undefined)?.status as
    | { conditions?: { type: string; reason: string; message: string }[] }
    | undefined // of this API group
  const ready = status?.conditions?.find((each) => each.type === 'Ready')
  return { reason: ready?.reason ?? '', message: ready?.message ?? '' }
}

/** Until the operator knows a definition, for those whose lack would be no problem of a deployment. */
export async function untilKnown(organization: Organization, definition: string): Promise<void> {
  await eventually(`definition '${definition}'`, 30_000, async () => {
    const found = await organization.get('resourcedefinitions', definition)
    return conditionStatus(found, 'Ready') === 'True' || undefined
  })
}

export { eventually }
