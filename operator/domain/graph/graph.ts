import type { ResourceContext } from '../../api/active-resource.ts'
import type { FreeForm } from '../../api/schema.ts'
import type { ValueSource } from '../../api/shared-value.ts'
import type { WonMatch } from '../definition/match-types.ts'
import type { Matcher } from '../definition/matching.ts'
import type { SetContent } from '../delta/delta.ts'
import type { Descriptor } from '../resource/descriptor.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import type { ResourceTypeInfo } from '../resource/type-info.ts'
import type { ListedProblem } from './problems.ts'
import type { SharedValues } from './shared-values.ts'

/** The input of `buildGraph`. */
export interface GraphInput {
  readonly context: ResourceContext
  readonly set: SetContent
  /** Resources in addition to those of the set, of exactly the given types. */
  readonly extra?: readonly ExtraNode[]
  readonly matcher: Matcher
  /** Built-in types and the types of the organization. */
  readonly types: readonly ResourceTypeInfo[]
  readonly catalogue: readonly DriverDescriptor[]
  /** Vendor names of the built-in drivers, the canonical one first. */
  readonly vendors: readonly string[]
  /** Shared values that the environment can read; none when absent. */
  readonly values?: SharedValues
  /** Whether the organization has a definition of the type; asks the matcher when absent. */
  hasDefinitionOfType?(type: string): boolean
  /** Type of an account of the organization; undefined when the account does not exist. */
  accountTypeOf?(name: string): string | undefined
}

/** A resource that a set cannot hold, such as a second implicit one. */
export interface ExtraNode {
  readonly descriptor: Descriptor
  readonly params?: FreeForm
}

/** A resource that a deployment needs. */
export interface GraphNode {
  readonly descriptor: Descriptor
  readonly guResId: string
  /** The definition that provisions the resource, and why; absent when no definition does. */
  readonly match: WonMatch | undefined
  readonly driver: DriverDescriptor | undefined
  readonly params: FreeForm | undefined
  /** Shared values that the params name, by key. */
  readonly values: Readonly<Record<string, ValueSource>>
  /** Sorted GUResIDs. */
  readonly dependsOn: readonly string[]
  /** GUResIDs by the text of the reference, for placeholders and the neighbours of the driver. */
  readonly references: Readonly<Record<string, readonly string[]>>
}

/** The resources of an environment, dependencies before dependents, and their problems. */
export interface Graph {
  readonly nodes: readonly GraphNode[]
  /** The first problems, then one that counts the others. */
  readonly problems: readonly ListedProblem[]
  /** Errors of the program that caused some of the problems, for the log. */
  readonly errors: readonly unknown[]
}
