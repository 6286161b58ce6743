import type { ActiveResource } from '../../api/active-resource.ts'
import { keyOf } from '../../kube/client/resource.ts'

type Metadata = Pick<ActiveResource, 'metadata'>

/** Active resources that this process created and has not provisioned yet: no earlier attempt can have made anything. */
export class NewResources {
  readonly #uids = new Set<string>()
  /** Requests without an answer, by key: the watch may report the resource before the answer arrives. */
  readonly #requests = new Map<string, Promise<void>>()

  /** Adds the resource that the request creates; throws what the request throws. */
  async add(key: string, request: Promise<Metadata>): Promise<void> {
    const added = request.then(({ metadata }) => {
      this.#uids.add(metadata.uid)
    })
    this.#requests.set(key, added)
    await added.finally(() => this.#requests.delete(key))
  }

  /** Whether the resource is new; from now on it is not. */
  async take(resource: Metadata): Promise<boolean> {
    await this.#requests.get(keyOf(resource))?.catch(() => undefined)
    return this.#uids.delete(resource.metadata.uid)
  }
}
