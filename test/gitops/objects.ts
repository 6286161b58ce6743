import type { Condition, KubeObject } from '../../operator/api/kind.ts'
import { kinds } from '../../operator/api/kinds.ts'
import { apiVersion } from '../../operator/api/names.ts'
import { fc } from '../support/properties.ts'

const condition = fc.record(
  {
    type: fc.constantFrom('Ready', 'Reconciling', 'Stalled', 'Unused', 'AlreadyRan'),
    status: fc.constantFrom<Condition['status']>('True', 'False', 'Unknown'),
    reason: fc.constantFrom('Reconciled', 'Waiting', 'Failed'),
    message: fc.constantFrom('', "waiting for 'a'"),
    lastTransitionTime: fc.constant('2030-01-01T00:00:00Z'),
  },
  { requiredKeys: ['type', 'status', 'reason', 'message', 'lastTransitionTime'] },
)

/** Objects of our kinds with any combination of the fields that health is computed from. */
export const anyObject: fc.Arbitrary<KubeObject> = fc
  .record({
    kind: fc.constantFrom(...kinds.map(({ kind }) => kind)),
    metadata: fc.record(
      {
        name: fc.constant('any'),
        generation: fc.integer({ min: 1, max: 3 }),
        deletionTimestamp: fc.constant('2030-01-01T00:00:00Z'),
        finalizers: fc.constant(['quartermaster.dev/any']),
      },
      { requiredKeys: ['name'] },
    ),
    status: fc.option(
      fc.record(
        {
          observedGeneration: fc.integer({ min: -1, max: 3 }),
          conditions: fc.uniqueArray(condition, { selector: ({ type }) => type }),
        },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    ),
  })
  .map(({ kind, metadata, status }) => ({ apiVersion, kind, metadata, ...(status ? { status } : {}) }))
