import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { stringify } from 'yaml'
import { apiCall, apiRequest, eventually } from '../../../dev/control-plane/kubernetes.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { documentedObjects } from '../../gitops/documented.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = `gitops-${randomBytes(4).toString('hex')}`
const directory = mkdtempSync(join(cluster.directory, 'documented-'))
const repository = documentedObjects('repository', organization)
const argoCD = documentedObjects('argo-cd', organization)
const flux = documentedObjects('flux', organization)

/** Applies a file as the documentation says; the API server refuses fields that it does not know. */
function apply(file: string, objects: readonly KubeObject[]): string {
  const path = join(directory, file.replaceAll('/', '-'))
  writeFileSync(path, objects.map((each) => stringify(each)).join('---\n'))
  const args = [
    '--kubeconfig',
    cluster.kubeconfigPath,
    'apply',
    '--server-side',
    '--validate=strict',
    '-f',
    path,
  ]
  return execFileSync(cluster.kubectl, args, { encoding: 'utf8', stdio: 'pipe' })
}

const text = { type: 'string' }
const flag = { type: 'boolean' }
const fields = (properties: object) => ({ type: 'object', properties })
/** The fields of Argo CD's kind Application that its documentation names and ours uses. */
const applicationSpec = fields({
  project: text,
  source: fields({ repoURL: text, targetRevision: text, path: text, directory: fields({ recurse: flag }) }),
  destination: fields({ server: text, namespace: text }),
  syncPolicy: fields({
    automated: fields({ prune: flag, selfHeal: flag }),
    syncOptions: { type: 'array', items: text },
    retry: fields({
      limit: { type: 'integer' },
      backoff: fields({ duration: text, factor: { type: 'integer' }, maxDuration: text }),
    }),
  }),
})

beforeAll(async () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  await apiRequest(cluster.access, 'POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'argocd' },
  })
  await apiRequest(cluster.access, 'POST', definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'applications.argoproj.io' },
    spec: {
      group: 'argoproj.io',
      scope: 'Namespaced',
      names: { kind: 'Application', plural: 'applications', singular: 'application' },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: fields({ spec: applicationSpec }) },
        },
      ],
    },
  })
  await eventually("Argo CD's kind to be served", 30_000, async () => {
    const { status } = await apiRequest(
      cluster.access,
      'GET',
      '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications',
    )
    return status === 200 || undefined
  })
})

describe('the files of docs/gitops', () => {
  // The namespace is first, by the sync waves.
  const inOrder = [...repository].sort(
    ([, a], [, b]) => Number(b[0]?.kind === 'Namespace') - Number(a[0]?.kind === 'Namespace'),
  )

  test.each([...inOrder, ...argoCD])('%s is applied server-side, with strict validation', (file, objects) => {
    expect(apply(file, objects).trim().split('\n')).toHaveLength(objects.length)
  })

  test('an unknown field would be refused', () => {
    const [object] = inOrder.at(-1)?.[1] ?? []
    const wrong = { ...object, spec: { ...(object?.spec as object), deltaNames: 'x' } } as KubeObject // with a typo
    expect(() => apply('wrong.yaml', [wrong])).toThrow('.spec.deltaNames: field not declared in schema')
  })

  test('end in a deployment that is ready', async () => {
    await apiCall(cluster.access, 'POST', `/api/v1/namespaces/${organization}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'postgres-login' },
      stringData: { username: 'shop', password: 'canary' },
    })
    const kinds = 'environmentdeployments.quartermaster.dev,environments.quartermaster.dev'
    const args = ['wait', '--for=condition=Ready', '--timeout=90s', '--all', '-n', organization, kinds]
    execFileSync(cluster.kubectl, ['--kubeconfig', cluster.kubeconfigPath, ...args])
  })

  test('name folders of the repository that exist', () => {
    const specs = [...flux.values(), ...argoCD.values()].flat().map(
      ({ spec }) => spec as { path?: string; source?: { path: string } } | undefined, // of the tools' kinds
    )
    const paths = specs.flatMap((spec) => spec?.path ?? spec?.source?.path ?? [])
    expect(paths.sort()).toEqual(['.', './platform', './shop'])
    const root = join(import.meta.dirname, '../../../docs/gitops/repository')
    for (const path of paths)
      expect(readdirSync(join(root, path), { recursive: true })).toContainEqual(
        expect.stringMatching(/\.yaml$/),
      )
  })
})
