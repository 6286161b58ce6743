import { randomBytes } from 'node:crypto'
import { refusals } from './wire.ts'

export type Right = 'read' | 'edit'

/** A token and what it may do; without zones it may do that everywhere. */
export interface Token {
  readonly name: string
  readonly value: string
  readonly zones?: readonly string[]
  readonly rights: readonly Right[]
  readonly status: 'active' | 'disabled' | 'expired'
}

export type Tokens = ReturnType<typeof createTokens>

const wellFormed = /^[A-Za-z0-9_-]{40,120}$/

/** A new random token value in the form of the real ones. */
export function newTokenValue(): string {
  return randomBytes(30).toString('base64url')
}

/** The tokens of the account, by name. */
export function createTokens(first: readonly Token[]) {
  const byName = new Map<string, Token>()
  for (const token of first) add(token)

  function add(token: Token): void {
    if (!wellFormed.test(token.value)) {
      throw new Error(`the value of token '${token.name}' must have 40 to 120 letters, digits, '_' or '-'`)
    }
    byName.set(token.name, token)
  }

  return {
    add,
    all: (): readonly Token[] => [...byName.values()],
    remove: (name: string): boolean => byName.delete(name),

    /** The token of an `Authorization` header, if the account has it. */
    find(header: string | undefined): Token | undefined {
      const value = header?.replace(/^Bearer /, '')
      return [...byName.values()].find((token) => token.value === value)
    },
  }
}

/** The token of a call, which may be disabled; throws when the header is missing, malformed or of no token. */
export function presented(header: string | undefined, token: Token | undefined, unknown: () => Error): Token {
  if (header === undefined) throw refusals.missingAuthorization()
  if (!header.startsWith('Bearer ') || !wellFormed.test(header.slice('Bearer '.length))) {
    throw refusals.malformedAuthorization()
  }
  if (token === undefined) throw unknown()
  return token
}

/** Whether a token may do something in a zone. */
export function mayDo(token: Token, right: Right, zoneId: string): boolean {
  const inZone = token.zones === undefined || token.zones.includes(zoneId)
  return inZone && (token.rights.includes('edit') || token.rights.includes(right))
}
