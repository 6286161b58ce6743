// `node dev/kubernetes-schemas.ts` writes the schemas of the kinds that the chart renders, as several versions of Kubernetes
// publish them, to test/chart/schemas. Needs Go, which downloads the sources of these versions.
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** The newest patch of each minor version that the module proxy has. */
const versions = ['1.33.13', '1.34.4', '1.35.4', '1.36.3', '1.37.2']
const kinds = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'ConfigMap',
  'CustomResourceDefinition',
  'Deployment',
  'FlowSchema',
  'Ingress',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'Namespace',
  'NetworkPolicy',
  'Pod',
  'PodDisruptionBudget',
  'PriorityLevelConfiguration',
  'Role',
  'RoleBinding',
  'Service',
  'ServiceAccount',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
])
const output = join(import.meta.dirname, '../test/chart/schemas')

type Schema = Readonly<Record<string, unknown>>
type Kind = { readonly group: string; readonly version: string; readonly kind: string }

await mkdir(output, { recursive: true })
for (const version of versions) {
  const { stdout } = await run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${version}`])
  const { Dir: directory } = JSON.parse(stdout) as { Dir: string }
  const schemas = await readSchemas(join(directory, 'api/openapi-spec/v3'))
  const roots = Object.fromEntries(
    schemas.flatMap(([id, schema]) => namesOf(schema).map((name) => [name, id])),
  )
  const definitions = Object.fromEntries(schemas.map(([id, schema]) => [id, strict(schema)]))
  const used = reachable(Object.values(roots), definitions)
  const $defs = Object.fromEntries(Object.entries(definitions).filter(([id]) => used.has(id)))
  const file = join(output, `${version.split('.').slice(0, 2).join('.')}.json`)
  await writeFile(file, `${JSON.stringify({ version, kinds: roots, $defs })}\n`)
}

/** All schemas of a version, by name. */
async function readSchemas(folder: string): Promise<[id: string, schema: Schema][]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('_openapi.json')).sort()
  const documents = await Promise.all(
    names.map(async (name) => {
      return JSON.parse(await readFile(join(folder, name), 'utf8')) as {
        components?: { schemas?: Record<string, Schema> }
      }
    }),
  )
  return documents.flatMap(({ components }) => Object.entries(components?.schemas ?? {}))
}

/** The kinds that a schema describes and the chart renders, as `group/version/kind`. */
function namesOf(schema: Schema): string[] {
  return ((schema['x-kubernetes-group-version-kind'] ?? []) as Kind[])
    .filter(({ kind }) => kinds.has(kind))
    .map(({ group, version, kind }) => [group, version, kind].filter(Boolean).join('/'))
}

/** The schema without texts, in which an object has no other fields than those it declares. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict)
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, properties, ...rest } = schema as { $ref?: string; properties?: Record<string, unknown> } // a JSON Schema
  if ($ref !== undefined) return { $ref: $ref.replace('#/components/schemas/', '#/$defs/') }
  const kept = Object.entries(rest).filter(
    ([key]) => !/^(description|default|format|x-kubernetes-.*)$/.test(key),
  )
  return {
    ...Object.fromEntries(kept.map(([key, value]) => [key, strict(value)])),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, strict(each)]),
          ),
          additionalProperties: false,
        }
      : {}),
  }
}

/** The definitions that these use, directly or not. */
function reachable(roots: readonly string[], definitions: Readonly<Record<string, unknown>>): Set<string> {
  const found = new Set(roots)
  for (const id of found) {
    for (const [, other = ''] of JSON.stringify(definitions[id]).matchAll(/"#\/\$defs\/([^"]+)"/g))
      found.add(other)
  }
  return found
}
