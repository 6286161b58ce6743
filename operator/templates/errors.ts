import type { Failure } from './messages.ts'

/** Rendering failed; the message names the template and the place, never data. */
export class TemplatesFailed extends Error {
  /**
   * `NotYet`: a template waits for an object; `Invalid`: it will never work with these data; `TooLarge`: it takes more
   * memory than it may, or gives more; `TooSlow`: it takes more work than it may; `Busy`: the machine, or others are waiting already.
   */
  readonly reason: Failure['reason'] | 'TooSlow' | 'Busy'
  constructor(reason: TemplatesFailed['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
