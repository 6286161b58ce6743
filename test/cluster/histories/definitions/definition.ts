import type { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { fc } from '../../../support/properties.ts'

/** A definition with its name. */
export interface Definition {
  readonly name: string
  readonly spec: ResourceDefinition['spec']
}

/** The first, or seldom one of the others. */
export const rarely = <T, U>(usual: T, other: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, other)

export const word = fc.constantFrom('one', 'two', 'three')
