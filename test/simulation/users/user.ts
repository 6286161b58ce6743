import type { Kind, ObjectOf, StoredObject } from '../../../operator/api/kind.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { Features } from '../features.ts'
import { secretMark } from '../secret-mark.ts'
import { servedAs } from '../server/resources.ts'
import type { ownManager } from '../server/write-rules.ts'
import { objectOf, objectsOf, organization, type Surroundings } from '../surroundings.ts'

/** The metadata that a user writes. */
interface Marks {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly managedFields?: typeof ownManager
}

/** Writes as kubectl and GitOps tools do: at once, and without faults. An act that the API server refuses is noted. */
export class User {
  readonly surroundings: Surroundings
  readonly features: Features
  /** The organization in which it works. */
  readonly organization: string
  readonly #counts = new Map<string, number>()

  constructor(surroundings: Surroundings, features: Features, owner: string = organization) {
    this.organization = owner
    this.surroundings = surroundings
    this.features = features
  }

  /** Does something now; an error ends only this. */
  does(what: string, act: () => void): void {
    const { journal } = this.surroundings
    try {
      act()
      journal.note(`USER ${what}`)
    } catch (error) {
      journal.note(`USER ${what} -> ${String(error)}`)
    }
  }

  /** Does something some milliseconds later: once, or at several times, of which the first that is not refused counts. */
  later(
    { from, to, times = 1 }: { readonly from: number; readonly to: number; readonly times?: number },
    what: string,
    act: () => void,
  ): void {
    const { clock, random } = this.surroundings
    for (let time = 0; time < times; time += 1)
      clock.after(from + random.below(to - from), () => this.does(what, act))
  }

  /** Removes a label of a namespace, and gives it back some milliseconds later. */
  unlabelForAWhile(
    namespace: string,
    label: Readonly<Record<string, string>>,
    milliseconds: { readonly from: number; readonly to: number },
    what: string,
  ): void {
    const none = Object.fromEntries(Object.keys(label).map((key) => [key, null]))
    this.patch('Namespace', namespace, { metadata: { labels: none } })
    this.later(milliseconds, what, () => this.patch('Namespace', namespace, { metadata: { labels: label } }))
  }

  /** The next number of a sequence. */
  next(sequence: string): number {
    const next = (this.#counts.get(sequence) ?? 0) + 1
    this.#counts.set(sequence, next)
    return next
  }

  create(
    kind: string,
    name: string,
    content: FreeForm,
    marks: Marks = {},
    namespace = this.organization,
  ): void {
    const served = servedAs(kind)
    const home = served.namespaced ? namespace : undefined
    const { managedFields } = marks
    const metadata = {
      name,
      labels: { ...marks.labels },
      annotations: { ...marks.annotations },
      ...(managedFields ? { managedFields } : {}),
    }
    const body = served.ours ? { spec: content } : content
    this.surroundings.server.create(served, home, { apiVersion: served.apiVersion, kind, metadata, ...body })
  }

  /** Replaces the spec of an object, or creates the object. */
  write(kind: string, name: string, spec: FreeForm): void {
    const { server } = this.surroundings
    const served = servedAs(kind)
    const current = server.storage.get(served, this.organization, name)
    if (!current) return this.create(kind, name, spec)
    const address = { served, namespace: this.organization, name, subresource: undefined }
    server.update(address, { ...current, spec })
  }

  patch(kind: string, name: string, body: FreeForm, namespace: string | undefined = this.organization): void {
    const served = servedAs(kind)
    const home = served.namespaced ? namespace : undefined
    const address = { served, namespace: home, name, subresource: undefined }
    this.surroundings.server.patch(address, { body, contentType: 'application/merge-patch+json' })
  }

  /** Changes fields of the status of an object. */
  patchStatus(kind: string, name: string, status: FreeForm): void {
    const address = { served: servedAs(kind), namespace: this.organization, name, subresource: 'status' }
    const contentType = 'application/merge-patch+json'
    this.surroundings.server.patch(address, { body: { status }, contentType })
  }

  remove(kind: string, name: string, namespace: string | undefined = this.organization): void {
    const served = servedAs(kind)
    this.surroundings.server.remove(served, served.namespaced ? namespace : undefined, name)
  }

  exists(kind: string, name: string): boolean {
    const served = servedAs(kind)
    const home = served.namespaced ? this.organization : undefined
    return this.surroundings.server.storage.get(served, home, name) !== undefined
  }

  /** One of a list; throws for an empty one. */
  pick<T>(list: readonly T[]): T {
    const [first, ...others] = list
    if (first === undefined) throw new Error('nothing to choose from')
    return this.surroundings.random.pick([first, ...others])
  }

  /** An object of a kind. */
  pickObject<K extends Kind>(kind: K, fits: (object: ObjectOf<K>) => boolean = () => true): ObjectOf<K> {
    return this.pick(this.all(kind).filter(fits))
  }

  /** The objects of a kind in the organization. */
  all<K extends Kind>(kind: K): ObjectOf<K>[] {
    return objectsOf(this.surroundings, kind).filter(
      ({ metadata }) => metadata.namespace === this.organization,
    )
  }

  find<K extends Kind>(kind: K, name: string): ObjectOf<K> | undefined {
    return objectOf(this.surroundings, kind, name, this.organization)
  }

  /** Whether an object is in a namespace that the operator made for an environment. */
  isOfEnvironment({ metadata }: StoredObject): boolean {
    return metadata.namespace?.startsWith(`${this.organization}--`) === true
  }

  /** An object of a kind of Kubernetes. */
  pickOther(kind: string, fits: (object: StoredObject) => boolean): StoredObject {
    return this.pick(this.surroundings.server.storage.list(servedAs(kind)).filter(fits))
  }

  chance(probability: number): boolean {
    return this.surroundings.random.chance(probability)
  }

  createSecret(name: string): void {
    this.create('Secret', name, { stringData: { password: this.newPassword(name) } })
  }

  newPassword(name: string): string {
    return `${secretMark}-${name}-${this.surroundings.random.below(1000)}`
  }
}
