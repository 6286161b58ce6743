import { readFile, writeFile } from 'node:fs/promises'
import { type ImageContent, ociArchive } from '../image/archive.ts'
import { libraryFiles } from '../image/base.ts'
import { pauseImage } from './configuration.ts'

const program = '/bin/sleep'

/** Writes the image of the container that holds the namespaces of a pod: it does nothing. */
export async function writePauseImage(path: string): Promise<void> {
  await writeFile(path, (await ociArchive(pauseImage, await sleepingImage())).archive)
}

/** A small image whose containers sleep, by default until they are deleted. */
export async function sleepingImage(): Promise<ImageContent> {
  const files = [
    { path: program, content: await readFile(program), mode: 0o755 },
    ...(await libraryFiles(program)),
  ]
  // As the first process of a container, it ignores other signals.
  const config = { User: '65534:65534', Entrypoint: [program], Cmd: ['infinity'], StopSignal: 'SIGKILL' }
  return { layers: [files], config }
}
