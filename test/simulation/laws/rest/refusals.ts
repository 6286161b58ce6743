import type { Exchange } from '../../gateway/rest-client.ts'
import { allServed } from '../../server/resources.ts'
import { type Law, problemsOf } from '../law.ts'
import { isRefused, mayStay } from './answers.ts'

/** Remembers which objects only refused requests wrote; an equal request can complete what another one began. */
export class Refusals {
  /** By uid, also of the owner of a Secret: whether all requests that wrote it were refused and undisturbed. */
  readonly #areAllRefused = new Map<string, boolean>()

  note(exchange: Exchange): void {
    const isCertain = isRefused(exchange) && !exchange.isDisturbed
    for (const { type, object } of exchange.writes) {
      if (type !== 'ADDED') continue
      const { uid, ownerReferences: [owner] = [] } = object.metadata
      const subject = object.kind === 'Secret' ? (owner?.uid ?? uid) : uid
      this.#areAllRefused.set(subject, isCertain && (this.#areAllRefused.get(subject) ?? true))
    }
  }

  get law(): Law {
    return {
      law: 'What only refused requests have made is gone.',
      findings: ({ server }) =>
        allServed
          .filter(({ kind }) => !mayStay.has(kind))
          .flatMap((served) =>
            problemsOf(server.storage.list(served), ({ metadata: { uid } }) =>
              this.#areAllRefused.get(uid) ? 'it is there' : undefined,
            ),
          ),
    }
  }
}
