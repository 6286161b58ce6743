import type { StoredObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { servedAs } from '../server/resources.ts'
import type { World } from '../world.ts'
import { type CountsOf, stateOf } from './counts.ts'
import { failuresIn } from './endings.ts'
import { type Finding, type Law, readyText } from './law.ts'

/** An object is looked at twice in the time of these laws, or three times if these are few. */
const mostReconciles = 3
/** What fails is tried again this often at most, and written. */
const mostRetries = 18
const mostWrites = 4
/** Secrets are not watched: what waits for one looks for it every five seconds. */
const mostLooks = 760
const shownLines = 5
const shownLength = 800

/** How often an object is looked at. */
function mostOf(object: StoredObject): number {
  if (stateOf(object) === 'ready') return mostReconciles
  return / SecretNotFound/.test(readyText(object)) ? mostLooks : mostReconciles + mostRetries
}

/** Laws of the work from now on, while nothing changes. */
export function idleLaws({ server, journal }: World, countsOf: CountsOf): readonly Law[] {
  const known = new Map(countsOf()?.reconciles)
  const writes = () => server.storage.version + server.idleWrites
  const [first, line] = [writes(), journal.lines.length]
  return [
    {
      law: 'Nothing is written when nothing changes and nothing fails.',
      findings(world) {
        const count = writes() - first
        if (count <= mostWrites * failuresIn(world)) return []
        const text = journal.lines.slice(line, line + shownLines).join(' | ')
        return [{ object: 'all objects', detail: `${count} writes: ${text.slice(0, shownLength)}` }]
      },
    },
    {
      law: 'While nothing changes, each object is looked at now and then only.',
      findings: () =>
        kinds.flatMap(({ kind }): Finding[] => {
          const count = (countsOf()?.reconciles.get(kind) ?? 0) - (known.get(kind) ?? 0)
          const objects = server.storage.list(servedAs(kind))
          const most = objects.reduce((sum, each) => sum + mostOf(each), 0)
          return count > most
            ? [{ object: kind, detail: `${count} times, with ${objects.length} objects` }]
            : []
        }),
    },
  ]
}
