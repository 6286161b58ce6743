import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '..')
const code = ['operator', 'api-gateway', 'portal', 'dev', 'bench'].flatMap(filesIn)
const tests = filesIn('test')
const kubePackage = '@kubernetes/client-node'

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
}

const known = new Map<string, readonly string[]>()

/** The imports and exports of a file: packages by name, files by their path in the repository. */
function importsOf(file: string): readonly string[] {
  const imports = known.get(file) ?? readImports(file)
  known.set(file, imports)
  return imports
}

function readImports(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const specifiers = [...text.matchAll(/\bfrom '([^']+)'|^import '([^']+)'|\bimport\(\s*'([^']+)'/gm)]
  return specifiers.flatMap(([, from, plain, dynamic]) => {
    const specifier = from ?? plain ?? dynamic ?? ''
    return [specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier]
  })
}

/** The imports of the files that begin with one of `places`, as `file → import`. */
function arrows(places: readonly string[]): (readonly [file: string, imported: string])[] {
  return code
    .filter((file) => places.some((place) => file.startsWith(place)))
    .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
}

/** All direct and transitive imports of files. */
function reachedFrom(files: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const left = [...files]
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    for (const imported of importsOf(file)) {
      if (reached.has(imported)) continue
      reached.add(imported)
      if (isOurs(imported)) left.push(imported)
    }
  }
  return reached
}

function isOurs(imported: string): boolean {
  return /^(operator|api-gateway|portal|bench|dev|test)\//.test(imported)
}

const everything = ['operator/', 'api-gateway/', 'dev/', 'test/']

describe('imports follow the layers', () => {
  test.each<[importer: string, allowed: readonly string[]]>([
    ['operator/api/', ['operator/api/']],
    ['operator/domain/', ['operator/api/', 'operator/domain/']],
    ['operator/outbound/', ['operator/api/', 'operator/domain/', 'operator/outbound/', 'operator/log.ts']],
    ['operator/templates/', ['operator/api/', 'operator/domain/', 'operator/templates/', 'operator/log.ts']],
    [
      'operator/drivers/',
      [
        'operator/api/',
        'operator/domain/',
        'operator/drivers/',
        'operator/outbound/',
        'operator/templates/templates.ts',
      ],
    ],
    ['operator/kube/', ['operator/api/', 'operator/domain/', 'operator/kube/', 'operator/log.ts']],
    [
      'operator/planning/',
      ['operator/api/', 'operator/domain/', 'operator/kube/', 'operator/planning/', 'operator/log.ts'],
    ],
    [
      'operator/controllers/',
      [
        'operator/api/',
        'operator/domain/',
        'operator/drivers/',
        'operator/kube/',
        'operator/outbound/',
        'operator/planning/',
        'operator/controllers/',
        'operator/log.ts',
      ],
    ],
    ['operator/', ['operator/']],
    [
      'api-gateway/',
      [
        'api-gateway/',
        'operator/api/',
        'operator/domain/',
        'operator/kube/',
        'operator/planning/',
        'operator/drivers/catalogue.ts',
        'operator/log.ts',
        'operator/config.ts',
        'operator/metrics/process-metrics.ts',
        'operator/tracing/tracing.ts',
        'operator/tracing/open-tracing.ts',
      ],
    ],
    [
      'portal/',
      [
        'portal/',
        'operator/api/schema.ts',
        'operator/domain/base/json.ts',
        'operator/domain/schema/parted-schema.ts',
      ],
    ],
    ['dev/', ['dev/', 'operator/', 'api-gateway/']],
    ['bench/', ['bench/', 'dev/', 'operator/', 'api-gateway/']],
  ])('%s imports no code of the project except %j', (importer, allowed) => {
    const found = arrows([importer])
    expect(found).not.toEqual([])
    const forbidden = found.filter(([, to]) => isOurs(to) && !allowed.some((place) => to.startsWith(place)))
    expect(forbidden).toEqual([])
  })

  test.each<[imported: string, importers: readonly string[]]>([
    [kubePackage, ['operator/kube/client/kubernetes-library.ts']],
    ['operator/templates/worker.ts', []],
    ['operator/kube/lease/lease-worker.ts', []],
    ['operator/operator.ts', ['operator/main.ts']],
    ['operator/main.ts', []],
    ['api-gateway/main.ts', []],
  ])('%s is imported only by %j', (imported, importers) => {
    const found = arrows(everything).filter(([, to]) => to === imported)
    expect([...new Set(found.map(([file]) => file))]).toEqual(importers)
  })

  test('a descriptor, with all that it imports, has no hands: the gateway reads it too', () => {
    const descriptors = code.filter((file) => /^operator\/drivers\/[^/]+\/descriptor\.ts$/.test(file))
    expect(descriptors).not.toEqual([])
    const hands =
      /^(operator\/outbound\/|operator\/kube\/|undici|cloudflare|node:(http|tls|dns|fs|worker_threads))/
    const found = [...reachedFrom(descriptors)].filter((imported) => hands.test(imported))
    expect(found).toEqual([])
  })

  test('controllers do not know how processes are put together: only operator.ts imports them', () => {
    const found = arrows(everything).filter(
      ([file, to]) => to.startsWith('operator/controllers/') && !file.startsWith('operator/controllers/'),
    )
    expect([...new Set(found.map(([file]) => file))]).toEqual(['operator/operator.ts'])
  })
})

/** The folders of a room, low to high: each imports only from itself and from those before it. */
const floors: Readonly<Record<string, readonly string[]>> = {
  'operator/domain': [
    'base',
    'resource',
    'placeholder',
    'schema',
    'secret',
    'delta',
    'score',
    'image',
    'definition',
    'module',
    'rendering',
    'graph',
    'plan',
    'deployment',
    'workload',
    'access',
  ],
  'operator/kube': ['client', 'cache', 'objects', 'loop', 'lease'],
  'operator/controllers': [
    'shared',
    'objects',
    'organization',
    'image',
    'rollout',
    'active-resource',
    'webhook',
    'deployment',
    'workload',
  ],
}

describe.each(Object.entries(floors))('the folders of %s', (room, order) => {
  const folderOf = (file: string) => (file.startsWith(`${room}/`) ? file.split('/')[2] : undefined)
  const isFolder = (name: string | undefined) => name !== undefined && !name.endsWith('.ts')

  test('are those that the order names', () => {
    expect(new Set(code.map(folderOf).filter(isFolder))).toEqual(new Set(order))
  })

  test('import only from folders before them', () => {
    const wrong = arrows([`${room}/`]).filter(([file, to]) => {
      const [from, target] = [folderOf(file), folderOf(to)]
      if (from === undefined || target === undefined || !isFolder(from)) return false
      return !isFolder(target) || order.indexOf(target) > order.indexOf(from)
    })
    expect(wrong).toEqual([])
  })
})

// The linter does not look at `import type`.
test('a file never imports itself through others, types included', () => {
  const files = code.filter((file) => /^(operator|api-gateway)\//.test(file))
  expect(files).not.toEqual([])
  expect(files.filter((file) => reachedFrom([file]).has(file))).toEqual([])
})

test('every folder of the code and the tests has at most 20 files', () => {
  const counts = new Map<string, number>()
  for (const file of [...code, ...tests]) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  const heaps = [...counts].filter(([folder, count]) => count > 20 && folder !== 'operator/api')
  expect(heaps).toEqual([])
})

test('a process finds the files beside it in every folder: Node leaves `import.meta.dirname` empty in the root folder', () => {
  const processes = code.filter((file) => /^(operator|api-gateway)\//.test(file))
  const users = processes.filter((file) =>
    readFileSync(join(root, file), 'utf8').includes('import.meta.dirname'),
  )
  expect(users).toEqual([])
})

test('only config.ts reads the environment', () => {
  const readers = code.filter(
    (file) =>
      !/^(dev|bench|portal)\//.test(file) &&
      /process\s*\.\s*env\b/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(readers).toEqual(['operator/config.ts'])
})

test('rules do no input or output, and know no clock and no chance', () => {
  const domain = code.filter(
    (file) => file.startsWith('operator/domain/') || file.startsWith('operator/api/'),
  )
  const impure =
    /'node:(?!crypto')|\bDate\.now\(|new Date\(\)|\bperformance\.|Math\.random|randomUUID|randomBytes|\bfetch\(|console\.|setTimeout\(/
  expect(domain.filter((file) => impure.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})
