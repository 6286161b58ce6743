import { DeploymentDelta } from '../operator/api/deployment-delta.ts'
import { type KubeObject, newObject } from '../operator/api/kind.ts'
import { ResourceDefinition } from '../operator/api/resource-definition.ts'
import { application, organization } from './objects.ts'

const secret = 'login'

/** The Secret with the login of the database that workloads use. */
export const login: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: secret, namespace: organization },
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
      secretRefs: { username: { secret, key: 'username' }, password: { secret, key: 'password' } },
    },
    criteria: [{}],
  },
)

/**
 * `count` workloads that use one database. Each is five objects: ServiceAccount, ConfigMap, Secret, Service and Deployment. No
 * pod is made, because no node runs here.
 */
export function workloadsDelta(count: number): KubeObject {
  const main = {
    image: 'images.example.test/backend:1.0',
    variables: {
      DATABASE_URL: 'postgres://${shared.db.username}:${shared.db.password}@${shared.db.host}/shop',
    },
    files: { '/etc/backend/config.yaml': { value: 'host: ${shared.db.host}' } },
  }
  const module = {
    profile: 'quartermaster/default-module',
    deploy: { success: 'deploy' },
    spec: { containers: { main }, service: { ports: { http: { service_port: 80 } } }, replicas: 0 },
    externals: {},
  }
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

/** The name of the delta of `count` workloads. */
export function workloadsName(count: number): string {
  return `workloads-${count}`
}
