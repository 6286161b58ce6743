import { apiVersion } from '../../api/names.ts'
import type { ResourceDefinition } from '../../api/resource-definition.ts'
import { workloadType } from '../resource/types.ts'
import { createMatcher, type Matcher } from './matching.ts'

const workloadDefinition: ResourceDefinition = {
  apiVersion,
  kind: 'ResourceDefinition',
  // No user's definition has a name with two hyphens in a row over REST.
  metadata: {
    name: 'default--workload',
    namespace: '',
    uid: '',
    resourceVersion: '0',
    generation: 1,
    creationTimestamp: '1970-01-01T00:00:00Z',
  },
  spec: {
    type: workloadType,
    driverType: 'quartermaster/workload',
    driverInputs: { values: { outputs: 'none' } },
    criteria: [{}],
  },
}

/** Definitions that apply where no definition of the organization matches. */
const builtInDefinitions: readonly ResourceDefinition[] = [workloadDefinition]

/** Creates the matcher of an organization that has these definitions. */
export function createOrganizationMatcher(definitions: readonly ResourceDefinition[]): Matcher {
  return createMatcher(definitions, { defaults: builtInDefinitions })
}
