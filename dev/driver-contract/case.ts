import type { Client } from './client.ts'
import type { ContractInputs } from './inputs.ts'
import type { Resource } from './resource.ts'

/** What a case works with; all of it is its own. */
export interface Bench extends ContractInputs {
  readonly client: Client
  /** How long an orchestrator that died stays away. */
  readonly absenceMs: number
  /** A resource with a new id, removed when the case ends. */
  resource(id?: string): Resource
  /** Says something that is no failure. */
  warn(text: string): void
}

/** One promise of the contract. Throws a Failure where it is broken, Skipped where it cannot be tried. */
export interface Case {
  readonly name: string
  readonly title: string
  /** A case without which this one says nothing. */
  readonly needs?: string
  run(bench: Bench): Promise<void>
}
