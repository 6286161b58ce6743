import { readFile, writeFile } from 'node:fs/promises'
import { type ImageContent, ociArchive } from '../image/archive.ts'
import { libraryFiles } from '../image/base.ts'
import { pauseImage } from './configuration.ts'

const program = '/bin/sleep'

/** Writes the image of the container that holds the namespaces of a pod: it does nothing. */
export async function writePauseImage(path: string): Promise<void> {
  const files = [
    { path: program, content: await readFile(program), mode: 0o755 },
    ...(await libraryFiles(program)),
  ]
  const content: ImageContent = {
    layers: [files],
    config: { User: '65534:65534', Entrypoint: [program, 'infinity'] },
  }
  await writeFile(path, (await ociArchive(pauseImage, content)).archive)
}
