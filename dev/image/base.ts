import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { ImageFile } from './tar.ts'

const run = promisify(execFile)

/** Libraries that glibc loads for names of hosts, where they are not part of it. */
const loadedLater = new Set(['libresolv.so.2', 'libnss_dns.so.2', 'libnss_files.so.2'])
const copyrights = ['libc6', 'libgcc-s1', 'libstdc++6', 'ca-certificates']
const certificates = '/etc/ssl/certs/ca-certificates.crt'

const written: readonly ImageFile[] = [
  { path: '/tmp', mode: 0o1777 },
  {
    path: '/etc/passwd',
    content: Buffer.from(
      'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin\n',
    ),
  },
  { path: '/etc/group', content: Buffer.from('root:x:0:\nnonroot:x:65532:\n') },
  { path: '/etc/nsswitch.conf', content: Buffer.from('hosts: files dns\n') },
]

/**
 * What the image needs in addition to our files, as a distroless base has it: the libraries of Node, authorities, users. The
 * libraries and the authorities are those of this machine, so archives of two machines may differ.
 */
export async function baseFiles(): Promise<ImageFile[]> {
  const optional = [certificates, ...copyrights.map((name) => `/usr/share/doc/${name}/copyright`)]
  const found = await Promise.all(optional.map(readIfPresent))
  return [
    ...written,
    ...(await libraryFiles(process.execPath)),
    ...found.filter((file) => file !== undefined),
  ]
}

/** The libraries that a program of this machine needs. */
export async function libraryFiles(program: string): Promise<ImageFile[]> {
  if (process.platform !== 'linux') throw new Error('an image archive is built on Linux only')
  const linked = await linkedLibraries(program)
  const folder = dirname(linked.find((path) => basename(path).startsWith('libc.so')) ?? '')
  const beside = (await readdir(folder)).filter((name) => loadedLater.has(name))
  const libraries = new Set([...linked, ...beside.map((name) => join(folder, name))])
  return Promise.all([...libraries].map(readLibrary))
}

async function linkedLibraries(program: string): Promise<string[]> {
  const { stdout } = await run('ldd', [program])
  return stdout
    .split('\n')
    .map((line) => /(\/\S+) \(0x/.exec(line)?.[1])
    .filter((path) => path !== undefined)
}

async function readLibrary(path: string): Promise<ImageFile> {
  return { path, content: await readFile(path), mode: 0o755 }
}

async function readIfPresent(path: string): Promise<ImageFile | undefined> {
  try {
    return { path, content: await readFile(path) }
  } catch {
    return undefined
  }
}
