import type { PathParameters } from './paths.ts'

/** What every page receives. */
export interface PageProps {
  readonly parameters: PathParameters
}
