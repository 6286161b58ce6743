import type { ActiveResource } from '../../api/active-resource.ts'

/** Active resources that this process created and has not provisioned yet: no earlier attempt can have made anything. */
export class NewResources {
  readonly #uids = new Set<string>()

  add({ metadata }: Pick<ActiveResource, 'metadata'>): void {
    this.#uids.add(metadata.uid)
  }

  /** Whether the resource is new; from now on it is not. */
  take({ metadata }: Pick<ActiveResource, 'metadata'>): boolean {
    return this.#uids.delete(metadata.uid)
  }
}
