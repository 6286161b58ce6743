import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../base/json.ts'

/** The output with the parts of pods that a driver returns among its manifests. */
export const partsOutput = 'manifests'

/** Locations of the manifests that are parts of pods. */
export const partLocations: readonly string[] = ['containers', 'volumes']

/** What a dependency of a workload, or its definition, adds to its pods. */
export interface PodParts {
  readonly guResId: string
  /** How the module refers to the dependency, such as `externals.data`. */
  readonly names: readonly string[]
  /** The dependency, for messages. */
  readonly descriptor: string
  readonly volumes: readonly FreeForm[]
  readonly containers: readonly FreeForm[]
}

/** The parts in the outputs of a dependency; undefined when it adds none. */
export function podPartsOf(
  dependency: Pick<PodParts, 'guResId' | 'names' | 'descriptor'>,
  outputs: FreeForm | undefined,
): PodParts | undefined {
  const given = outputs?.[partsOutput]
  const manifests = Array.isArray(given) ? given.filter(isObject) : []
  const at = (location: string) =>
    manifests
      .filter((each) => each.location === location)
      .map(({ data }) => data)
      .filter(isObject)
  const volumes = at('volumes').map((volume, i) => ({ name: defaultName(dependency.guResId, i), ...volume }))
  const containers = at('containers')
  return volumes.length + containers.length > 0 ? { ...dependency, volumes, containers } : undefined
}

function defaultName(guResId: string, index: number): string {
  return index === 0 ? guResId : `${guResId}-${index}`
}
