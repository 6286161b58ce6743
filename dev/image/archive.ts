// `make image-archive`: the image as an OCI archive, dist/quartermaster.oci.tar, without a container engine.
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { runtime } from '../build.ts'
import { baseFiles } from './base.ts'
import { type ImageFile, tarOf } from './tar.ts'
import { applicationFiles, nodeFiles } from './tree.ts'

const compress = promisify(gzip)
const root = join(import.meta.dirname, '../..')
const media = 'application/vnd.oci.image'
const epoch = '1970-01-01T00:00:00Z'

/** What the OCI specification says about a blob. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

export interface Blob extends Descriptor {
  readonly content: Buffer
}

/** An image in parts, as registries serve it. */
export interface ImageBlobs {
  readonly manifest: Blob
  readonly config: Blob
  readonly layers: readonly Blob[]
}

/** An image in the OCI layout, as one tar file. */
export interface ImageArchive {
  /** Digest of the manifest, by which the image is known. */
  readonly digest: string
  readonly archive: Buffer
}

/** What an image contains, and how a container of it runs. */
export interface ImageContent {
  readonly layers: readonly (readonly ImageFile[])[]
  readonly config: Readonly<Record<string, unknown>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** The full name of the image that the chart uses by default. */
export async function defaultImage(): Promise<string> {
  return `docker.io/library/quartermaster:${(await readPackage()).version}`
}

/** Puts the image of Quartermaster together; equal files give an equal archive. */
export async function imageArchive(name: string): Promise<ImageArchive> {
  const { name: title, version, description, license } = await readPackage()
  const annotations = {
    'org.opencontainers.image.title': title,
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': license,
  }
  return ociArchive(name, {
    // Node and the libraries change rarely, so they are a layer that nodes keep.
    layers: [[...(await baseFiles()), ...(await nodeFiles())], await applicationFiles()],
    config: { ...settings, Labels: annotations },
    annotations,
  })
}

/** As the Dockerfile sets it. */
const settings = {
  User: '65532:65532',
  Env: [
    'PATH=/nodejs/bin',
    'NODE_ENV=production',
    ...Object.entries(runtime.environment).map(([name, value]) => `${name}=${value}`),
  ],
  Entrypoint: ['/nodejs/bin/node', ...runtime.nodeOptions],
  Cmd: ['/operator.mjs'],
  WorkingDir: '/',
}

/** Puts an image of this platform together. */
export async function imageBlobs(image: ImageContent): Promise<ImageBlobs> {
  const layers = await Promise.all(
    image.layers.map(async (files) => {
      const tar = tarOf(files)
      const blob = blobOf(`${media}.layer.v1.tar+gzip`, await compress(tar))
      return { blob, diffId: `sha256:${sha256(tar)}` }
    }),
  )
  const settings = {
    created: epoch,
    ...platform(),
    config: image.config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created: epoch })),
  }
  const config = blobOf(`${media}.config.v1+json`, json(settings))
  const mediaType = `${media}.manifest.v1+json`
  const manifest = {
    schemaVersion: 2,
    mediaType,
    config: descriptorOf(config),
    layers: layers.map(({ blob }) => descriptorOf(blob)),
    annotations: image.annotations,
  }
  return { manifest: blobOf(mediaType, json(manifest)), config, layers: layers.map(({ blob }) => blob) }
}

/** Puts an image of this platform together, in the OCI layout. */
export async function ociArchive(name: string, image: ImageContent): Promise<ImageArchive> {
  const { manifest, config, layers } = await imageBlobs(image)
  const index = {
    schemaVersion: 2,
    mediaType: `${media}.index.v1+json`,
    manifests: [
      {
        ...descriptorOf(manifest),
        platform: platform(),
        annotations: {
          'io.containerd.image.name': name,
          'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
        },
      },
    ],
  }
  const archive = tarOf([
    ...[manifest, config, ...layers].map(({ digest, content }) => {
      return { path: `/blobs/${digest.replace(':', '/')}`, content }
    }),
    { path: '/index.json', content: json(index) },
    { path: '/oci-layout', content: json({ imageLayoutVersion: '1.0.0' }) },
  ])
  return { digest: manifest.digest, archive }
}

function blobOf(mediaType: string, content: Buffer): Blob {
  return { mediaType, digest: `sha256:${sha256(content)}`, size: content.length, content }
}

function descriptorOf({ mediaType, digest, size }: Blob): Descriptor {
  return { mediaType, digest, size }
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
  const name = process.argv[2] ?? (await defaultImage())
  const { digest, archive } = await imageArchive(name)
  await mkdir(join(root, 'dist'), { recursive: true })
  await writeFile(join(root, 'dist/quartermaster.oci.tar'), archive)
  console.log(`dist/quartermaster.oci.tar: ${name}@${digest}, ${Math.round(archive.length / 2 ** 20)} MiB`)
}
