import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Where containerd of a node looks for what it must know of a registry, at each pull. */
export function registriesIn(directory: string): string {
  return join(directory, 'registries')
}

/** Lets a node trust the authority that issued the certificate of a registry, given as host and port. */
export async function trustRegistry(
  directory: string,
  registry: string,
  authorityFile: string,
): Promise<void> {
  const place = join(registriesIn(directory), registry)
  await mkdir(place, { recursive: true })
  await copyFile(authorityFile, join(place, 'ca.crt'))
}
