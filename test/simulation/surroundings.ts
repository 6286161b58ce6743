import type { Kind, ObjectOf } from '../../operator/api/kind.ts'
import type { Random } from '../support/random.ts'
import type { Journal } from './journal.ts'
import type { Faults } from './process/faults.ts'
import type { ApiServer } from './server/api-server.ts'
import { servedAs } from './server/resources.ts'
import type { Clock } from './time/clock.ts'

/** What the parts of a run share. */
export interface Surroundings {
  readonly clock: Clock
  readonly random: Random
  readonly journal: Journal
  readonly faults: Faults
  readonly server: ApiServer
}

/** The organization of a run. */
export const organization = 'acme'

/** The objects of a kind, as they are stored. */
export function objectsOf<K extends Kind>({ server }: Pick<Surroundings, 'server'>, kind: K): ObjectOf<K>[] {
  return server.storage.list(servedAs(kind.kind)) as unknown as ObjectOf<K>[] // those of the kind
}

/** An object of a kind of the organization. */
export function objectOf<K extends Kind>(
  { server }: Pick<Surroundings, 'server'>,
  kind: K,
  name: string | undefined,
): ObjectOf<K> | undefined {
  if (name === undefined) return undefined
  return server.storage.get(servedAs(kind.kind), organization, name) as ObjectOf<K> | undefined // of the kind
}
