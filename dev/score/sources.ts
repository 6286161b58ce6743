import type { FreeForm } from '../../operator/api/schema.ts'
import { isObject } from '../../operator/domain/base/json.ts'

/** The document with the texts of the files that it names with `source`. Binary files become base64. */
export function withSources(document: unknown, read: (path: string) => Buffer): unknown {
  if (!isObject(document) || !isObject(document['containers'])) return document
  const containers = Object.entries(document['containers']).map(([name, container]) => [
    name,
    isObject(container) && container['files']
      ? { ...container, files: inlined(container['files'], read) }
      : container,
  ])
  return { ...document, containers: Object.fromEntries(containers) }
}

function inlined(files: unknown, read: (path: string) => Buffer): unknown {
  if (Array.isArray(files)) return files.map((file) => inline(file, read))
  if (!isObject(files)) return files
  return Object.fromEntries(Object.entries(files).map(([target, file]) => [target, inline(file, read)]))
}

function inline(file: unknown, read: (path: string) => Buffer): unknown {
  if (!isObject(file) || typeof file['source'] !== 'string') return file
  const { source, ...rest } = file
  return { ...rest, ...contentOf(read(source)) }
}

function contentOf(bytes: Buffer): FreeForm {
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes)
    ? { content: text }
    : { binaryContent: bytes.toString('base64') }
}
