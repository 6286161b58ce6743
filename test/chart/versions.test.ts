import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { runHelm } from '../../dev/helm/helm.ts'
import {
  allSwitches,
  chart,
  type Manifest,
  parseManifests,
  systemNamespace,
  valuesArguments,
} from './support.ts'

const folder = join(import.meta.dirname, 'schemas')
/** Kinds of other projects. */
const ofOthers = new Set(['HTTPRoute', 'ServiceMonitor', 'PodMonitor', 'PrometheusRule'])

/** The schemas of one version of Kubernetes, as dev/kubernetes-schemas.ts writes them. */
interface Schemas {
  readonly version: string
  /** Names of definitions by `group/version/kind`. */
  readonly kinds: Readonly<Record<string, string>>
  readonly $defs: object
}

const versions = readdirSync(folder).map((name) => {
  const schemas = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Schemas
  return [name.replace('.json', ''), schemas] as const
})

/** What the API server of this version says of an object, in strict validation. */
function createCheck({ kinds, $defs }: Schemas) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addSchema({ $id: 'kubernetes', $defs })
  return (manifest: Manifest): string[] => {
    const name = kinds[`${manifest.apiVersion}/${manifest.kind}`]
    if (name === undefined) return [`${manifest.apiVersion} has no kind ${manifest.kind}`]
    const check = ajv.compile({ $ref: `kubernetes#/$defs/${name}` })
    if (check(manifest)) return []
    return (check.errors ?? []).map((error) => `${error.instancePath} ${JSON.stringify(error.params)}`)
  }
}

/** The objects that the chart renders on a cluster of this version. */
async function renderFor({ version, kinds }: Schemas, values: object): Promise<Manifest[]> {
  const served = Object.keys(kinds).map((name) => `--api-versions=${name}`)
  const text = await runHelm(
    'template',
    'quartermaster',
    chart,
    `--namespace=${systemNamespace}`,
    `--kube-version=${version}`,
    ...served,
    ...valuesArguments(values),
  )
  return parseManifests(text).filter(({ kind, apiVersion }) => {
    return !ofOthers.has(kind) && !apiVersion.startsWith('quartermaster.dev/')
  })
}

test('the versions are those from 1.33 to 1.37', () => {
  expect(versions.map(([version]) => version)).toEqual(['1.33', '1.34', '1.35', '1.36', '1.37'])
})

describe.each(versions)('Kubernetes %s', (_, schemas) => {
  const check = createCheck(schemas)

  test.each<[string, object]>([
    ['the default values', {}],
    ['all switches', allSwitches],
    ['rights to Secrets in organizations only', { rbac: { scope: 'organizations' } }],
    ['the namespace', { namespace: { create: true } }],
  ])('takes every object of the chart by strict validation, with %s', async (__, values) => {
    const manifests = await renderFor(schemas, values)
    expect(manifests.length).toBeGreaterThan(40)
    const problems = manifests.flatMap((each) =>
      check(each).map((problem) => `${each.kind} ${each.metadata.name}${problem}`),
    )
    expect(problems).toEqual([])
  })

  test('refuses an unknown field, a wrong type and an unknown version, at any depth', async () => {
    const manifests = await renderFor(schemas, {})
    const deployment = manifests.find(({ kind }) => kind === 'Deployment')
    if (!deployment) throw new Error('the chart has no Deployment')
    const withSpec = (change: (pod: { containers: Record<string, unknown>[] }) => unknown) => {
      const changed = structuredClone(deployment) as unknown as { spec: { template: { spec: never } } }
      change(changed.spec.template.spec)
      return check(changed as unknown as Manifest)
    }
    expect(withSpec(() => undefined)).toEqual([])
    expect(withSpec((pod) => Object.assign(pod, { hostnames: 'x' })).join()).toContain('hostnames')
    expect(withSpec((pod) => Object.assign(pod.containers[0] ?? {}, { image: 5 })).join()).toContain('/image')
    expect(check({ ...deployment, apiVersion: 'apps/v1beta1' })).toEqual([
      'apps/v1beta1 has no kind Deployment',
    ])
  })
})

test.each([
  ['0.1.0+4fda46fd8c4e', 'quartermaster-0.1.0_4fda46fd8c4e'],
  [`0.1.0+${'a'.repeat(34)}.${'b'.repeat(40)}`, `quartermaster-0.1.0_${'a'.repeat(34)}.${'b'.repeat(8)}`],
  [`0.1.0+${'a'.repeat(43)}.${'b'.repeat(40)}`, `quartermaster-0.1.0_${'a'.repeat(43)}`],
])(
  'a chart of the version %s, as Flux names one of a commit or digest, has valid labels',
  async (version, label) => {
    const directory = await mkdtemp(join(tmpdir(), 'chart-'))
    try {
      await cp(chart, directory, { recursive: true })
      const file = join(directory, 'Chart.yaml')
      await writeFile(file, (await readFile(file, 'utf8')).replace(/^version: .*$/m, `version: ${version}`))
      const text = await runHelm('template', 'quartermaster', directory, `--namespace=${systemNamespace}`)
      const labels = parseManifests(text).flatMap(({ metadata }) => metadata.labels?.['helm.sh/chart'] ?? [])
      expect(new Set(labels)).toEqual(new Set([label]))
    } finally {
      await rm(directory, { recursive: true })
    }
  },
)
