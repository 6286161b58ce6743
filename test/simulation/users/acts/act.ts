import type { User } from '../user.ts'

/** Something that a user does now and then. It throws if there is nothing to do it to. */
export interface Act {
  /** How often it is done, relative to the others. */
  readonly weight: number
  readonly what: string
  act(user: User): void
}
