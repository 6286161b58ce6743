/** The user of a token. */
interface Known {
  readonly user: string
  readonly organization: string
}

interface State extends Known {
  readonly state: 'valid' | 'ending' | 'ended'
}

/** Tokens of service users, and whether gateways must accept them. */
export class Tokens {
  readonly #states = new Map<string, State>()

  add(token: string, user: string, organization: string): void {
    this.#states.set(token, { user, organization, state: 'valid' })
  }

  /** Its revocation begins. */
  end(token: string): void {
    this.#set(token, 'ending')
  }

  /** A gateway has answered that it is revoked. */
  ended(token: string): void {
    this.#set(token, 'ended')
  }

  /** Those whose state is certain. */
  get certain(): readonly (Known & { readonly token: string; readonly isValid: boolean })[] {
    return [...this.#states]
      .filter(([, { state }]) => state !== 'ending')
      .map(([token, { state, ...known }]) => ({ ...known, token, isValid: state === 'valid' }))
  }

  #set(token: string, state: 'ending' | 'ended'): void {
    const known = this.#states.get(token)
    if (known) this.#states.set(token, { ...known, state })
  }
}
