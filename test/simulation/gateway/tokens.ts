/** Tokens of service users, and whether gateways must accept them. */
export class Tokens {
  readonly #states = new Map<
    string,
    { readonly user: string; readonly state: 'valid' | 'ending' | 'ended' }
  >()

  add(token: string, user: string): void {
    this.#states.set(token, { user, state: 'valid' })
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
  get certain(): readonly { readonly token: string; readonly user: string; readonly isValid: boolean }[] {
    return [...this.#states]
      .filter(([, { state }]) => state !== 'ending')
      .map(([token, { user, state }]) => ({ token, user, isValid: state === 'valid' }))
  }

  #set(token: string, state: 'ending' | 'ended'): void {
    const known = this.#states.get(token)
    if (known) this.#states.set(token, { ...known, state })
  }
}
