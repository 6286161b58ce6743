import { Problem } from '../base/errors.ts'
import { compareText, ownValue } from '../base/json.ts'
import type { SetContent } from '../delta/delta.ts'
import { modulePlaceholderRoots, paramsRoots } from '../placeholder/link.ts'
import { findPlaceholders, mapTextsAndKeys } from '../placeholder/placeholder.ts'

/** A shared dependency outside a placeholder, such as the source of a volume. */
const bareName = /^shared[.[]/

/**
 * A module for each shared dependency that modules of a set read, also through the params of another one. Only modules with
 * the ids that `isUser` accepts count; of several, the first by id is named.
 */
export function usersOfShared(
  { modules, shared }: SetContent,
  isUser: (id: string) => boolean,
): ReadonlyMap<string, string> {
  const users = new Map<string, string>()
  for (const id of Object.keys(modules).filter(isUser).sort(compareText)) {
    const reached = sharedIn(ownValue(modules, id), modulePlaceholderRoots)
    for (const key of reached) {
      if (users.has(key)) continue
      users.set(key, id)
      for (const each of sharedIn(ownValue(shared, key), paramsRoots)) reached.add(each)
    }
  }
  return users
}

/** The keys of the shared dependencies that the texts of a value name. */
function sharedIn(value: unknown, roots: readonly string[]): Set<string> {
  const keys = new Set<string>()
  const read = (text: string): void => {
    for (const [root, key] of pathsIn(bareName.test(text) ? `\${${text}}` : text, roots))
      if (root === 'shared' && key !== undefined) keys.add(key)
  }
  mapTextsAndKeys(value, (text) => {
    read(text)
    return text
  })
  return keys
}

/** The paths of the placeholders in a text. A malformed text has none: the plan reports it. */
function pathsIn(text: string, roots: readonly string[]): (readonly string[])[] {
  if (!text.includes('${')) return []
  try {
    return findPlaceholders(text, { roots }).map(({ path }) => path)
  } catch (error) {
    if (error instanceof Problem) return []
    throw error
  }
}
