import type { KubeObject } from '../operator/api/kind.ts'
import type { KubeClient } from '../operator/kube/client/client.ts'
import { pathOf } from '../operator/kube/client/resource.ts'

/**
 * What one resource makes: nothing (`echo`), one ConfigMap, or five objects as a workload has them. Those of `child` make
 * nothing and all depend on one more resource; those of `secret` make a ConfigMap and all name one Secret in their inputs;
 * those of `password` have a secret output, which is a Secret of their organization.
 */
export const works = ['echo', 'object', 'five', 'elsewhere', 'child', 'secret', 'password'] as const
export type Work = (typeof works)[number]

type Manifest = Pick<KubeObject, 'apiVersion' | 'kind'> & {
  /** All but `metadata`. */
  content(name: string): object
}

const configMap: Manifest = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  content: (name) => ({ data: { bucket: name, region: 'eu-north-1' } }),
}

const manifestsOf: Readonly<Record<Work, readonly Manifest[]>> = {
  echo: [],
  object: [configMap],
  elsewhere: [configMap],
  child: [],
  secret: [configMap],
  password: [],
  five: [
    configMap,
    { apiVersion: 'v1', kind: 'ServiceAccount', content: () => ({}) },
    {
      apiVersion: 'v1',
      kind: 'Service',
      content: (name) => ({ spec: { selector: { app: name }, ports: [{ name: 'http', port: 80 }] } }),
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      content: (name) => ({
        spec: {
          // No pod is made: no node runs here, and the benchmark is about the objects of a resource.
          replicas: 0,
          selector: { matchLabels: { app: name } },
          template: {
            metadata: { labels: { app: name } },
            spec: { containers: [{ name: 'main', image: 'images.example.test/backend:1.0' }] },
          },
        },
      }),
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      content: (name) => ({
        spec: {
          rules: [
            {
              host: `${name}.example.test`,
              http: {
                paths: [
                  { path: '/', pathType: 'Prefix', backend: { service: { name, port: { name: 'http' } } } },
                ],
              },
            },
          ],
        },
      }),
    },
  ],
}

/** How many objects one resource makes, the Secret of its outputs included. */
export function objectsPerResource(work: Work): number {
  return work === 'password' ? 1 : manifestsOf[work].length
}

/** How many resources a deployment of `count` makes. */
export function resourcesOf(work: Work, count: number): number {
  return work === 'child' ? count + 1 : count
}

/** The namespace of the objects of `elsewhere`, which is open for the organization of the benchmark. */
export const openNamespace = 'bench-open'

/** The inputs of the template driver that make the objects of one resource, all with this name, and its outputs. */
export function templatesOf(work: Work, name: string, outputs: object): object {
  const metadata = work === 'elsewhere' ? { name, namespace: openNamespace } : { name }
  const manifests = manifestsOf[work].map(({ apiVersion, kind, content }) => [
    pluralOf(kind),
    { data: { apiVersion, kind, metadata, ...content(name) } },
  ])
  const secrets = work === 'password' ? { password: 'secret-of-{{ .id }}' } : undefined
  return { templates: { manifests: Object.fromEntries(manifests), outputs, secrets } }
}

/** The objects of one resource, for the floor. */
export function objectsOf(work: Work, namespace: string, name: string): readonly KubeObject[] {
  return manifestsOf[work].map(({ apiVersion, kind, content }) => ({
    apiVersion,
    kind,
    metadata: { name, namespace },
    ...content(name),
  }))
}

/** The path of an object in a namespace. */
export function pathOfObject({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): string {
  return pathOf({ apiVersion, kind, plural: pluralOf(kind), namespaced: true }, namespace, name)
}

/** As in paths; right for the kinds of the benchmark. */
function pluralOf(kind: string): string {
  return `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`
}

/** Lets the operator apply these objects, as a cluster administrator does. */
export async function allowObjects(client: KubeClient): Promise<void> {
  const group = '/apis/rbac.authorization.k8s.io/v1'
  const name = 'bench-objects'
  const rules = manifestsOf.five.map(({ apiVersion, kind }) => ({
    apiGroups: [apiVersion.includes('/') ? apiVersion.split('/')[0] : ''],
    resources: [pluralOf(kind)],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete', 'deletecollection'],
  }))
  await client.request('POST', `${group}/clusterroles`, { body: { metadata: { name }, rules } })
  const body = {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: 'quartermaster-operator', namespace: 'quartermaster-system' }],
  }
  await client.request('POST', `${group}/clusterrolebindings`, { body })
}
