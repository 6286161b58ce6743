import type { Outside } from './outside/outside.ts'
import type { Surroundings } from './surroundings.ts'

/** All that laws are about. */
export interface World extends Surroundings {
  readonly outside: Outside
}
