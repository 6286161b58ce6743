import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { readModule } from '../../../operator/domain/module/module-problems.ts'
import { withSecretTexts } from '../../../operator/domain/module/secret-text.ts'
import { renderWorkload } from '../../../operator/domain/rendering/render.ts'
import { convertScore } from '../../../operator/domain/score/convert-score.ts'
import { parseScore } from '../../../operator/domain/score/parse-score.ts'

const folder = join(import.meta.dirname, 'files')

/** Names of the Score files. */
export const scoreFiles = readdirSync(folder)
  .filter((name) => !name.endsWith('.expected.yaml'))
  .map((name) => name.replace('.yaml', ''))

/** The objects of the workloads of a Score file. Each placeholder has a text; one that ends in `password` a secret one. */
export function renderedScore(name: string, namespace: string): KubeObject[] {
  const text = readFileSync(join(folder, `${name}.yaml`), 'utf8')
  const image = text.includes('image: .') ? 'images.example.test/orders:1' : undefined
  return parseScore(text).flatMap((input) => {
    const { id, module } = convertScore({ ...input, image })
    const { params, secretParams } = resolved({ ...module, id })
    const read = readModule(withSecretTexts(params, secretParams), ['quartermaster'])
    const guResId = id.length.toString(16).padStart(40, 'a')
    const rendered = renderWorkload({
      workload: { id, guResId, applicationId: 'shop' },
      organizationId: 'acme',
      namespace,
      read,
      parts: volumesOf(params),
      hash: (value) => `hash of ${JSON.stringify(value).length} characters`,
    })
    const problems = [...read.problems, ...rendered.problems]
    if (problems.length > 0) throw new Error(problems.join('; '))
    return rendered.objects
  })
}

/** The objects that a golden file expects. */
export function expectedObjects(name: string): unknown[] {
  const text = readFileSync(join(import.meta.dirname, 'objects', `${name}.yaml`), 'utf8')
  return parseAllDocuments(text).map((each) => each.toJS() as unknown)
}

/** The module with a text for each placeholder, and the pointers of texts with a secret one. */
function resolved(module: FreeForm): { params: FreeForm; secretParams: string[] } {
  const secretParams: string[] = []
  const visit = (value: unknown, pointer: string): unknown => {
    if (Array.isArray(value)) return value.map((each, index) => visit(each, `${pointer}/${index}`))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [
          key.replaceAll(/\$\{[^}]+\}/g, 'externals.host'),
          visit(each, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
        ]),
      )
    if (typeof value !== 'string') return value
    if (/(?<!\$)\$\{[^}]+password\}/.test(value)) secretParams.push(pointer)
    return value
      .replaceAll(/(?<!\\)\$\{([^}]+)\}/g, (_, path: string) => /(\w+)\W*$/.exec(path)?.[1] ?? '')
      .replaceAll('$\\{', '${')
  }
  const { externals: _, ...rest } = module
  return { params: visit(rest, '') as FreeForm, secretParams } // an object stays one
}

/** A volume for each dependency that a container mounts. */
function volumesOf(params: FreeForm) {
  const names = new Set(
    [...JSON.stringify(params).matchAll(/"id":"((?:externals|shared)\.[\w-]+)"/g)].map(([, id = '']) => id),
  )
  return [...names].map((each, index) => ({
    guResId: String(index).padStart(40, 'b'),
    names: [each],
    descriptor: each,
    volumes: [{ name: each.replace('.', '-'), emptyDir: {} }],
    containers: [],
  }))
}
