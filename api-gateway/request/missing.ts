import type { Kind, StoredObject } from '../../operator/api/kind.ts'
import type { RestErrorName } from '../../operator/api/reasons/errors.ts'
import { Problem } from '../../operator/domain/base/errors.ts'

/** Where an object would be. */
export interface Place {
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
}

/** The cache has no such object. It may lack one that another gateway created a moment ago. */
export class Missing extends Problem {
  readonly place: Place
  constructor(
    kind: Kind,
    namespace: string,
    name: string,
    message: string,
    reason: RestErrorName = 'NotFound',
  ) {
    super(reason, message)
    this.place = { kind, namespace, name }
  }
}

/** The name of the object that the cache had belongs to a later one, which another gateway created a moment ago. */
export class Replaced extends Missing {
  constructor(kind: Kind, { metadata: { namespace, name } }: StoredObject) {
    super(kind, namespace ?? '', name, `'${name}' not found`)
  }
}
