import { ActiveResource } from '../../operator/api/active-resource.ts'
import type { Kind, ObjectOf } from '../../operator/api/kind.ts'
import type { Random } from '../support/random.ts'
import type { Features } from './features.ts'
import type { Journal } from './journal.ts'
import type { Faults } from './process/faults.ts'
import type { ApiServer } from './server/api-server.ts'
import { servedAs } from './server/resources.ts'
import type { Rights } from './server/rights.ts'
import type { Clock } from './time/clock.ts'

/** What the parts of a run share. */
export interface Surroundings {
  readonly clock: Clock
  readonly random: Random
  readonly journal: Journal
  readonly faults: Faults
  readonly server: ApiServer
  readonly features: Features
  readonly rights: Rights
}

/** The organization of a run, and another one that some runs have. */
export const organization = 'acme'
export const otherOrganization = 'globex'

/** The objects of a kind, as they are stored. */
export function objectsOf<K extends Kind>({ server }: Pick<Surroundings, 'server'>, kind: K): ObjectOf<K>[] {
  return server.storage.list(servedAs(kind.kind)) as unknown as ObjectOf<K>[] // those of the kind
}

/** An object of a kind of an organization. */
export function objectOf<K extends Kind>(
  { server }: Pick<Surroundings, 'server'>,
  kind: K,
  name: string | undefined,
  owner: string = organization,
): ObjectOf<K> | undefined {
  if (name === undefined) return undefined
  return server.storage.get(servedAs(kind.kind), owner, name) as ObjectOf<K> | undefined // of the kind
}

/** A resource; the names of two organizations are never equal. */
export function resourceNamed(
  surroundings: Pick<Surroundings, 'server'>,
  name: string | undefined,
): ActiveResource | undefined {
  const find = (owner: string) => objectOf(surroundings, ActiveResource, name, owner)
  return find(organization) ?? find(otherOrganization)
}
