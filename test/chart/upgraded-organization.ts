import type { KubeObject } from '../../operator/api/kind.ts'

export const namespace = 'work'
/** Has the objects of the environment `done`, which stays as it is. */
export const unchangedNamespace = `${namespace}--shop--done`

export const object = (kind: string, name: string, spec?: object, more: object = {}): KubeObject => ({
  apiVersion: 'quartermaster.dev/v1alpha1',
  kind,
  metadata: { name, namespace },
  ...(spec ? { spec } : {}),
  ...more,
})

export const secret = (name: string) =>
  object('Secret', name, undefined, {
    apiVersion: 'v1',
    stringData: { user: 'shop', password: 'example-only' },
  })

const postgres = (name: string, secret: string, criterion: object) =>
  object('ResourceDefinition', name, {
    type: 'postgres',
    driverType: 'quartermaster/echo',
    driverInputs: {
      values: { host: 'postgres.internal', port: 5432, name: 'db' },
      secretRefs: { username: { secret, key: 'user' }, password: { secret, key: 'password' } },
    },
    criteria: [criterion],
  })

/** A custom type whose driver keeps a cookie and makes an object. */
const search: readonly KubeObject[] = [
  object('ResourceType', 'search', {
    use: 'direct',
    inputsSchema: { properties: { language: { type: 'string' } } },
    outputsSchema: { properties: { values: { properties: { host: { type: 'string' } } } } },
  }),
  object('ResourceDefinition', 'search', {
    type: `${namespace}/search`,
    driverType: 'quartermaster/template',
    driverInputs: {
      values: {
        templates: {
          cookie: 'made: true',
          outputs: { host: '{{ .resource.language }}.search.internal' },
          manifests: {
            settings: {
              location: 'namespace',
              data: {
                apiVersion: 'v1',
                kind: 'ConfigMap',
                metadata: { name: 'search-{{ .id }}' },
                data: { language: '{{ .resource.language }}' },
              },
            },
          },
        },
      },
    },
    criteria: [{}],
  }),
]

const web = {
  profile: 'quartermaster/default-module',
  spec: {
    containers: {
      main: {
        image: 'images.example.test/web:1',
        variables: {
          DATABASE: 'postgres://${shared.db.username}:${shared.db.password}@${shared.db.host}',
          SEARCH: '${externals.index.host}',
          LEVEL: '${values.LEVEL}',
        },
        files: { '/etc/level': { value: '${values.LEVEL}' } },
      },
    },
    service: { ports: { http: { service_port: 80, container_port: 8080 } } },
  },
  externals: { index: { type: 'search', params: { language: 'en' } } },
}

/** A Score file that a GitOps tool applies. */
export const page = object('Workload', 'shop.page', {
  applicationName: 'shop',
  environmentIds: ['done'],
  score: {
    apiVersion: 'score.dev/v1b1',
    metadata: { name: 'page' },
    containers: { main: { image: 'images.example.test/page:1', variables: { DB: '${resources.db.host}' } } },
    resources: { db: { type: 'postgres', id: 'db' } },
  },
})

export const deployment = (environment: string, name: string, source: object) =>
  object('EnvironmentDeployment', `shop.${environment}.${name}`, {
    environmentName: `shop.${environment}`,
    ...source,
  })

/** An organization with an environment that is deployed, and one whose deployment waits for the Secret `missing`. */
export const organization: readonly KubeObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: { 'quartermaster.dev/organization': namespace } },
  },
  object('EnvironmentType', 'development', {}),
  secret('there'),
  postgres('with-secret', 'there', { envId: 'done' }),
  postgres('without-secret', 'missing', { envId: 'waiting' }),
  ...search,
  object('Application', 'shop', {}),
  object('SharedValue', 'level', { applicationName: 'shop', key: 'LEVEL', value: 'info' }),
  object('DeploymentDelta', 'first', {
    applicationName: 'shop',
    modules: { add: { web } },
    shared: [{ op: 'add', path: '/db', value: { type: 'postgres' } }],
  }),
  ...['done', 'waiting'].flatMap((environment) => [
    object('Environment', `shop.${environment}`, { applicationName: 'shop', typeName: 'development' }),
    deployment(environment, '1', { deltaName: 'first' }),
  ]),
]
