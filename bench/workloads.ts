import { createHash } from 'node:crypto'
import { DeploymentDelta } from '../operator/api/deployment-delta.ts'
import { type KubeObject, newObject } from '../operator/api/kind.ts'
import { ResourceDefinition } from '../operator/api/resource-definition.ts'
import { withSecretTexts } from '../operator/domain/module/secret-text.ts'
import { guResId } from '../operator/domain/resource/identity.ts'
import { renderModule } from '../operator/drivers/workload/render-module.ts'
import { application, loginSecret, organization } from './objects.ts'

/** The login of the database. */
export const login: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: loginSecret, namespace: organization },
  stringData: { username: 'shop', password: 'of-the-benchmark' },
}

/** The definition of the database. */
export const database: KubeObject = newObject(
  ResourceDefinition,
  { name: 'database', namespace: organization },
  {
    type: 'postgres',
    driverType: 'quartermaster/echo',
    driverInputs: {
      values: { host: 'db.internal', port: 5432, name: 'shop' },
      secretRefs: {
        username: { secret: loginSecret, key: 'username' },
        password: { secret: loginSecret, key: 'password' },
      },
    },
    criteria: [{}],
  },
)

const module = {
  profile: 'quartermaster/default-module',
  deploy: { success: 'deploy' },
  spec: {
    containers: {
      main: {
        image: 'images.example.test/backend:1.0',
        variables: {
          DATABASE_URL: 'postgres://${shared.db.username}:${shared.db.password}@${shared.db.host}/shop',
        },
        files: { '/etc/backend/config.yaml': { value: 'host: ${shared.db.host}' } },
      },
    },
    service: { ports: { http: { service_port: 80 } } },
    replicas: 0,
  },
  externals: {},
}

/**
 * `count` workloads that use one database. Each is five objects: ServiceAccount, ConfigMap, Secret, Service and Deployment. No
 * pod is made, because no node runs here.
 */
export function workloadsDelta(count: number): KubeObject {
  const add = Object.fromEntries(Array.from({ length: count }, (_, index) => [`workload-${index}`, module]))
  return newObject(
    DeploymentDelta,
    { name: workloadsName(count), namespace: organization },
    {
      applicationName: application,
      modules: { add },
      shared: [{ op: 'add', path: '/db', value: { type: 'postgres' } }],
    },
  )
}

/** The objects of one of the workloads, for the floor. */
export function workloadObjects(namespace: string, id: string): readonly KubeObject[] {
  const context = {
    organizationId: organization,
    applicationId: application,
    environmentId: 'floor',
    environmentType: 'development',
  }
  const descriptor = { type: 'workload', class: 'default', resourceId: `modules.${id}` }
  const request = {
    ...descriptor,
    guResId: guResId(context, descriptor),
    context,
    namespace,
    params: withSecretTexts({ ...module, id }, ['/spec/containers/main/variables/DATABASE_URL']),
    values: {},
    secrets: {},
    neighbours: {},
    signal: AbortSignal.timeout(1000),
  }
  return renderModule(request.params, request, { vendors: ['quartermaster'], hash: sha256 })
}

function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** The name of the delta of `count` workloads. */
export function workloadsName(count: number): string {
  return `workloads-${count}`
}
