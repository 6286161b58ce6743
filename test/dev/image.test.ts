import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ImageArchive, imageArchive } from '../../dev/image/archive.ts'
import { type ImageFile, tarOf } from '../../dev/image/tar.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const name = 'registry.example.test/quartermaster:1.0'

let image: ImageArchive
let directory = ''
/** The files of the image, as an engine unpacks them. */
let tree = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-image-test-'))
  tree = join(directory, 'tree')
  image = await imageArchive(name)
  await unpack(image.archive, directory)
  await mkdir(tree)
  for (const { digest } of manifest().layers) await unpack(gunzipSync(blob(digest)), tree)
})
afterAll(() => rm(directory, { recursive: true }))

async function unpack(tar: Buffer, into: string): Promise<void> {
  const file = join(into, 'partial.tar')
  await writeFile(file, tar)
  await run('tar', ['-xf', file, '-C', into])
  await rm(file)
}

function blob(digest: string): Buffer {
  return readFileSync(join(directory, 'blobs', ...digest.split(':')))
}

function manifest() {
  const { manifests } = JSON.parse(readFileSync(join(directory, 'index.json'), 'utf8'))
  expect(manifests).toHaveLength(1)
  return JSON.parse(blob(manifests[0].digest).toString())
}

function config() {
  return JSON.parse(blob(manifest().config.digest).toString())
}

/** Runs Node of the image with the libraries of the image and no others. */
async function runInImage(args: readonly string[], environment: Record<string, string> = {}) {
  const { stdout: found } = await run('find', [tree, '-name', 'ld-linux-*', '-o', '-name', 'libc.so.6'])
  const paths = found.trim().split('\n')
  const loader = paths.find((path) => path.includes('ld-linux')) ?? ''
  const libraries = paths.map((path) => path.slice(0, path.lastIndexOf('/'))).join(':')
  return run(
    loader,
    ['--inhibit-cache', '--library-path', libraries, join(tree, 'nodejs/bin/node'), ...args],
    { env: environment },
  )
}

test('two builds are equal', async () => {
  const second = await imageArchive(name)
  expect(second.digest).toBe(image.digest)
  expect(second.archive.equals(image.archive)).toBe(true)
})

test('every blob has the name of its content, and every descriptor its size', async () => {
  for (const hash of await readdir(join(directory, 'blobs/sha256'))) {
    expect(
      createHash('sha256')
        .update(blob(`sha256:${hash}`))
        .digest('hex'),
    ).toBe(hash)
  }
  for (const { digest, size } of [manifest().config, ...manifest().layers]) {
    expect(blob(digest)).toHaveLength(size)
  }
  const diffIds = manifest().layers.map(({ digest }: { digest: string }) => {
    return `sha256:${createHash('sha256')
      .update(gunzipSync(blob(digest)))
      .digest('hex')}`
  })
  expect(config().rootfs.diff_ids).toEqual(diffIds)
})

test('a tar depends on paths, modes and contents, never on their order', async () => {
  const files: ImageFile[] = [
    { path: '/b/two', content: Buffer.from('2') },
    { path: '/a', content: Buffer.alloc(512), mode: 0o755 },
    { path: '/b/one', content: Buffer.alloc(513) },
    { path: '/empty', content: Buffer.alloc(0) },
  ]
  const tar = tarOf(files)
  expect(tarOf([...files].reverse()).equals(tar)).toBe(true)
  const file = join(directory, 'order.tar')
  await writeFile(file, tar)
  const { stdout } = await run('tar', ['--utc', '--numeric-owner', '-tvf', file])
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.replaceAll(/\s+/g, ' ')),
  ).toEqual([
    '-rwxr-xr-x 0/0 512 1970-01-01 00:00 a',
    'drwxr-xr-x 0/0 0 1970-01-01 00:00 b/',
    '-rw-r--r-- 0/0 513 1970-01-01 00:00 b/one',
    '-rw-r--r-- 0/0 1 1970-01-01 00:00 b/two',
    '-rw-r--r-- 0/0 0 1970-01-01 00:00 empty',
  ])
})

test('a tar refuses two files of one path, and a path that its format cuts', () => {
  const content = Buffer.of()
  expect(() =>
    tarOf([
      { path: '/a', content },
      { path: '/a', content },
    ]),
  ).toThrow("two files '/a'")
  expect(() => tarOf([{ path: `/${'a'.repeat(101)}`, content }])).toThrow('too long')
})

test('the pinned Node runs with the libraries of the image alone', async () => {
  const { stdout } = await runInImage(['-p', 'process.version'])
  expect(stdout.trim()).toBe(process.version)
})

test.each(['/operator.mjs', '/gateway.mjs'])('%s starts from the image', async (command) => {
  const refused = await runInImage([join(tree, command)], { QUARTERMASTER_RESYNC_SECONDS: 'often' }).catch(
    (error) => error,
  )
  expect(String(refused.stdout)).toContain(
    "QUARTERMASTER_RESYNC_SECONDS must be a number from 1 to 2147483, not 'often'",
  )
})

test('every file of the image belongs to root and is read-only for others, and none is a source map', async () => {
  const { stdout } = await run('find', [
    tree,
    '-type',
    'f',
    '(',
    '-perm',
    '-o+w',
    '-o',
    '-name',
    '*.map',
    ')',
  ])
  expect(stdout).toBe('')
})

test('the Dockerfile and the archive set the same', async () => {
  const text = (await readFile(join(root, 'Dockerfile'), 'utf8')).replaceAll('\\\n', ' ')
  const final = text.slice(text.lastIndexOf('FROM '))
  const all = (instruction: string) =>
    [...final.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].map(([, value = '']) => value)
  const { config: settings } = config()
  expect(all('USER')).toEqual([settings.User])
  expect(all('WORKDIR')).toEqual([settings.WorkingDir])
  expect(all('ENV')).toEqual(settings.Env)
  expect(all('ENTRYPOINT').map((value) => JSON.parse(value))).toEqual([settings.Entrypoint])
  expect(all('CMD').map((value) => JSON.parse(value))).toEqual([settings.Cmd])
  const labels = [...final.matchAll(/(org\.\S+)="([^"]*)"/g)].map(([, key, value]) => [key, value])
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  expect(
    Object.fromEntries(labels.map(([key, value]) => [key, value === '$VERSION' ? version : value])),
  ).toEqual(settings.Labels)
})

test('the user of the image is a number, so that Kubernetes can see that it is not root', () => {
  expect(config().config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/)
})

test('the bill of materials has every production dependency with its version and licence, and no tool', async () => {
  const documents = join(tree, 'usr/share/doc/quartermaster')
  const { components } = JSON.parse(readFileSync(join(documents, 'sbom.cdx.json'), 'utf8'))
  const versions = new Map(
    components.map((each: { name: string; version: string }) => [each.name, each.version]),
  )
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  for (const [dependency, version] of Object.entries(dependencies)) {
    expect([dependency, versions.get(dependency)]).toEqual([dependency, version])
  }
  expect(versions.has('jest')).toBe(false)
  expect(versions.get('swagger-ui-dist')).toBe(devDependencies['swagger-ui-dist'])
  expect([...versions.keys()].some((each) => String(each).startsWith('node-linux-'))).toBe(true)
  const licences = readFileSync(join(documents, 'licences.txt'), 'utf8')
  for (const component of components) {
    expect(component.purl).toMatch(/^pkg:npm\//)
    expect(component.licenses[0].license.id).not.toBe('NOASSERTION')
    expect(licences).toContain(`${component.name} ${component.version} (`)
  }
  expect(existsSync(join(documents, 'LICENSE'))).toBe(true)
})
