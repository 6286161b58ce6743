import type { FreeForm, TSchema } from '../../api/schema.ts'

/** What a driver says of inputs: texts without the values, which may be secret. */
export interface InputsCheck {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** What a driver is, without what it does: enough to check inputs and to plan. */
export interface DriverDescriptor {
  /** Second part of the driver type `<vendor>/<name>`. */
  readonly name: string
  readonly description: string
  /** Resource types that it provisions; any when absent. */
  readonly resourceTypes?: readonly string[]
  /** Types that an account of it may have; `required` when it cannot do without one. */
  readonly account: { readonly types: readonly string[]; readonly required: boolean }
  /** JSON Schema of its inputs. */
  readonly values: TSchema
  readonly secrets: TSchema
  /** JSON Schema of a user for `{values, secrets}`; takes the place of the two. */
  readonly inputsSchema?: FreeForm
  /**
   * Neighbours that the driver sees without a placeholder in the definition: a name for the driver, and a reference as in
   * `${resources[…]}` (`dns`, `dns<route`). An implied reference adds an edge when the neighbour exists, never a node.
   */
  readonly neighbours: Readonly<Record<string, string>>
  /** Whether the `ingress` sections of workloads that name the `dns` neighbour become the parameter `rules`. */
  readonly takesIngressRules: boolean
  /** Kinds of the objects that it is made of, so that one left by a crash is found again. */
  readonly applies?: readonly { readonly apiVersion: string; readonly kind: string }[]
  /** Whether it makes things outside of the cluster, which only a deprovision takes away. */
  readonly remote?: boolean
  /** Whether a provision that finds everything in place is cheap, so that what others changed is mended from time to time. */
  readonly repairs?: boolean
  /** Whether it wants to be told again what it said last. */
  readonly keepsCookie?: boolean
  /** What of known inputs it would not take, besides what the schemas say; `now` in milliseconds since 1970. */
  check?(inputs: { readonly values: FreeForm; readonly secrets: FreeForm }, now: number): InputsCheck
  /** Names of all outputs that these inputs give, where they can be known before; unknown when absent. */
  outputNames?(inputs: { readonly values: FreeForm; readonly secretRefs: FreeForm }): readonly string[]
  /** Inputs (dotted paths into `values`) whose change makes the resource anew. */
  readonly replacedBy: readonly string[]
}
