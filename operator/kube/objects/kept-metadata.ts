import type { StoredObject } from '../../api/kind.ts'

/** The longest value that the operator writes is a descriptor, of 445 characters. */
const longestMark = 500

/** The labels and annotations that are read of an object. */
interface Marks {
  readonly labels: readonly string[]
  readonly annotations: readonly string[]
}

/** What is read of the metadata of an object: any user can give one our labels, and very many or long others. */
export function keptMetadata(
  {
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    deletionTimestamp,
    ...given
  }: StoredObject['metadata'],
  { labels, annotations }: Marks,
): StoredObject['metadata'] {
  return {
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    deletionTimestamp,
    labels: only(labels, given.labels),
    annotations: only(annotations, given.annotations),
  } as StoredObject['metadata'] // absent fields are undefined
}

/** The entries with these names, but for values that are too long to be of the operator. */
function only(names: readonly string[], all: Readonly<Record<string, string>> = {}): Record<string, string> {
  const entries = names.flatMap((name): [string, string][] => {
    const value = all[name]
    return value === undefined || value.length > longestMark ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}
