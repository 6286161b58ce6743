// `make image-archive`: the image as an OCI archive, dist/quartermaster.oci.tar, without a container engine.
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { baseFiles } from './base.ts'
import { type ImageFile, tarOf } from './tar.ts'
import { applicationFiles, nodeFiles } from './tree.ts'

const compress = promisify(gzip)
const root = join(import.meta.dirname, '../..')
const media = 'application/vnd.oci.image'
const epoch = '1970-01-01T00:00:00Z'

interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/** An image in the OCI layout, as one tar file. */
export interface ImageArchive {
  /** Digest of the manifest, by which the image is known. */
  readonly digest: string
  readonly archive: Buffer
}

/** Puts the image together; equal files give an equal archive. */
export async function imageArchive(name: string): Promise<ImageArchive> {
  const blobs: ImageFile[] = []
  const addBlob = (mediaType: string, content: Buffer): Descriptor => {
    const hash = sha256(content)
    blobs.push({ path: `/blobs/sha256/${hash}`, content })
    return { mediaType, digest: `sha256:${hash}`, size: content.length }
  }
  // Node and the libraries change rarely, so they are a layer that nodes keep.
  const layers = await Promise.all(
    [[...(await baseFiles()), ...(await nodeFiles())], await applicationFiles()].map(async (files) => {
      const tar = tarOf(files)
      return { content: await compress(tar), diffId: `sha256:${sha256(tar)}` }
    }),
  )
  const config = await configOf(layers.map(({ diffId }) => diffId))
  const manifest = {
    schemaVersion: 2,
    mediaType: `${media}.manifest.v1+json`,
    config: addBlob(`${media}.config.v1+json`, json(config)),
    layers: layers.map(({ content }) => addBlob(`${media}.layer.v1.tar+gzip`, content)),
    annotations: config.config.Labels,
  }
  const described = addBlob(manifest.mediaType, json(manifest))
  const index = {
    schemaVersion: 2,
    mediaType: `${media}.index.v1+json`,
    manifests: [
      {
        ...described,
        platform: platform(),
        annotations: {
          'io.containerd.image.name': name,
          'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
        },
      },
    ],
  }
  const archive = tarOf([
    ...blobs,
    { path: '/index.json', content: json(index) },
    { path: '/oci-layout', content: json({ imageLayoutVersion: '1.0.0' }) },
  ])
  return { digest: described.digest, archive }
}

/** As the Dockerfile sets it. */
async function configOf(diffIds: readonly string[]) {
  const { name, version, description, license } = await readPackage()
  return {
    created: epoch,
    ...platform(),
    config: {
      User: '65532:65532',
      Env: ['PATH=/nodejs/bin', 'NODE_ENV=production', 'NODE_OPTIONS=--max-semi-space-size=8'],
      Entrypoint: ['/nodejs/bin/node'],
      Cmd: ['/operator.mjs'],
      WorkingDir: '/',
      Labels: {
        'org.opencontainers.image.title': name,
        'org.opencontainers.image.description': description,
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': license,
      },
    },
    rootfs: { type: 'layers', diff_ids: diffIds },
    history: diffIds.map(() => ({ created: epoch })),
  }
}

function platform() {
  return { os: 'linux', architecture: process.arch === 'x64' ? 'amd64' : process.arch }
}

async function readPackage(): Promise<Record<'name' | 'version' | 'description' | 'license', string>> {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

if (import.meta.main) {
  const { version } = await readPackage()
  const name = process.argv[2] ?? `docker.io/library/quartermaster:${version}`
  const { digest, archive } = await imageArchive(name)
  await mkdir(join(root, 'dist'), { recursive: true })
  await writeFile(join(root, 'dist/quartermaster.oci.tar'), archive)
  console.log(`dist/quartermaster.oci.tar: ${name}@${digest}, ${Math.round(archive.length / 2 ** 20)} MiB`)
}
