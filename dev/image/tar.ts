/** A file, or a directory when it has no content, of an image. */
export interface ImageFile {
  /** Absolute path. */
  readonly path: string
  readonly content?: Buffer
  readonly mode?: number
}

const blockSize = 512

/** A tar archive that depends on paths, modes and contents only: sorted, owned by root, with time 0. */
export function tarOf(files: readonly ImageFile[]): Buffer {
  const sorted = withParents(files).sort((a, b) => (a.path < b.path ? -1 : 1))
  const blocks = sorted.flatMap(({ path, content, mode }) => {
    const header = headerOf(path, content, mode)
    if (content === undefined) return [header]
    return [header, content, Buffer.alloc(-content.length & (blockSize - 1))]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)])
}

function withParents(files: readonly ImageFile[]): ImageFile[] {
  const all = new Map<string, ImageFile>()
  for (const file of files) {
    if (all.get(file.path)?.content) throw new Error(`the image has two files '${file.path}'`)
    all.set(file.path, file)
    const parts = file.path.split('/').slice(1, -1)
    parts.forEach((_, index) => {
      const path = `/${parts.slice(0, index + 1).join('/')}`
      if (!all.has(path)) all.set(path, { path })
    })
  }
  return [...all.values()]
}

/** The header of the format `ustar`, in which a path has at most 100 bytes here. */
function headerOf(path: string, content: Buffer | undefined, mode: number | undefined): Buffer {
  const isDirectory = content === undefined
  const name = `${path.slice(1)}${isDirectory ? '/' : ''}`
  if (Buffer.byteLength(name) > 100) throw new Error(`the path '${path}' is too long for the image`)
  const header = Buffer.alloc(blockSize)
  const octal = (value: number, offset: number, width: number) =>
    header.write(`${value.toString(8).padStart(width - 1, '0')}\0`, offset)
  header.write(name, 0)
  octal(mode ?? (isDirectory ? 0o755 : 0o644), 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(content?.length ?? 0, 124, 12)
  octal(0, 136, 12)
  header.write(' '.repeat(8), 148)
  header.write(isDirectory ? '5' : '0', 156)
  header.write('ustar\x0000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
