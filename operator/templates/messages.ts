/** A template to render; later steps see the results of earlier ones. */
export interface Step {
  /** For messages, and the name of its result. */
  readonly name: string
  /** A text that is a template, or data in which every text is one. */
  readonly template: unknown
  /**
   * What becomes of a rendered text: kept as it is, read as YAML, or, in `manifests`, read as YAML in which the texts
   * under `data` are YAML documents again.
   */
  readonly reads: 'text' | 'yaml' | 'manifests'
  /** Where later templates find the result: a dotted path into the data. */
  readonly as?: string
  /** Additional data for this template. */
  readonly besides?: Readonly<Record<string, unknown>>
}

/** A request to the worker. */
export interface WorkerRequest {
  readonly id: number
  readonly steps: readonly Step[]
  readonly data: Readonly<Record<string, unknown>>
}

/** Results by the names of the steps. */
export type Results = Readonly<Record<string, unknown>>

/** A response of the worker. */
export type WorkerResponse =
  | { readonly ready: true }
  | { readonly id: number; readonly results: Results }
  | { readonly id: number; readonly failure: Failure }

/** Why rendering failed. */
export interface Failure {
  /** `NotYet`: one of them waits for an object; `Invalid`: it will never work with these data; `TooLarge`: it gives too much. */
  readonly reason: 'NotYet' | 'Invalid' | 'TooLarge'
  readonly message: string
}
