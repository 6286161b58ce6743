import type { Blob, ImageBlobs } from '../image/archive.ts'

interface Repository {
  readonly manifests: Map<string, Blob>
  readonly tags: Map<string, string>
  readonly blobs: Map<string, Blob>
}

export type Content = ReturnType<typeof createContent>

/** The repositories of a registry, with what was pushed to them. */
export function createContent() {
  const repositories = new Map<string, Repository>()

  function repositoryOf(name: string): Repository {
    const known = repositories.get(name) ?? { manifests: new Map(), tags: new Map(), blobs: new Map() }
    repositories.set(name, known)
    return known
  }

  return {
    has: (repository: string) => repositories.has(repository),
    /** A tag moves when it exists. */
    push(repository: string, tag: string, { manifest, config, layers }: ImageBlobs): void {
      const { manifests, tags, blobs } = repositoryOf(repository)
      for (const blob of [config, ...layers]) blobs.set(blob.digest, blob)
      manifests.set(manifest.digest, manifest)
      tags.set(tag, manifest.digest)
    },
    /** By tag or by digest. */
    manifest(repository: string, reference: string): Blob | undefined {
      const found = repositories.get(repository)
      return found?.manifests.get(found.tags.get(reference) ?? reference)
    },
    blob: (repository: string, digest: string) => repositories.get(repository)?.blobs.get(digest),
  }
}
