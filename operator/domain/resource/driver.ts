import type { FreeForm, TSchema } from '../../api/schema.ts'

/** Result of a check of inputs. The texts never contain values, which may be secret. */
export interface InputsCheck {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** The static properties of a driver, enough to check inputs and to plan. */
export interface DriverDescriptor {
  /** Second part of the driver type `<vendor>/<name>`. */
  readonly name: string
  readonly description: string
  /** Resource types that the driver provisions; any type when absent. */
  readonly resourceTypes?: readonly string[]
  /** Accepted account types, and whether the driver needs an account. */
  readonly account: { readonly types: readonly string[]; readonly required: boolean }
  /** JSON Schema of the non-secret inputs. */
  readonly values: TSchema
  readonly secrets: TSchema
  /** User-defined JSON Schema for `{values, secrets}`; replaces the two above. */
  readonly inputsSchema?: FreeForm
  /**
   * Implied references, by name: resources that the driver sees without a placeholder in the definition, each a reference
   * as in `${resources[…]}` (`dns`, `dns<route`). It adds an edge when the neighbour exists, never a node.
   */
  readonly neighbours: Readonly<Record<string, string>>
  /** Inputs in `values` by the name of a neighbour that the driver does not read if the input is given. */
  readonly inputsInsteadOfNeighbours?: Readonly<Record<string, string>>
  /** Whether `ingress` sections of workloads that name the `dns` neighbour become the parameter `rules`. */
  readonly takesIngressRules: boolean
  /** Whether the driver renders modules: then the plan checks those of its workloads. */
  readonly rendersModules?: boolean
  /** Whether the driver provisions outside the cluster, so that only a deprovision cleans up. */
  readonly remote?: boolean
  /** The URL under which a server has the resources; drivers of the same URL make and update the same instances. */
  readonly address?: string
  /** The driver that makes the instances, where this one wraps others; the innermost. */
  readonly wraps?: string
  /** Whether an unchanged provision is cheap. Then it is repeated periodically to repair drift. */
  readonly repairs?: boolean
  /** Whether each call passes the cookie of the last response. */
  readonly keepsCookie?: boolean
  /** Checks inputs beyond the schemas; `now` is in milliseconds since 1970. */
  check?(inputs: { readonly values: FreeForm; readonly secrets: FreeForm }, now: number): InputsCheck
  /** Whether templates among these values can read inputs that the schemas do not declare. */
  templatesReadInputs?(values: FreeForm): boolean
  /** Names of all outputs for these inputs. Absent when they are not known before a provision. */
  outputNames?(inputs: { readonly values: FreeForm; readonly secretRefs: FreeForm }): readonly string[]
  /** Inputs (dotted paths into `values`) whose change requires a new instance. */
  readonly replaceOnChangeOf: readonly string[]
}
