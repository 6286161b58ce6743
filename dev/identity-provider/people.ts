/** A person who can be chosen at the identity provider. */
export interface Person {
  /** Also what it is called on the page, and the claim `sub`. */
  readonly id: string
  readonly email?: string
  /** False for an address that is not verified. */
  readonly isVerified?: boolean
}

/** Who can be chosen on a machine for development. */
export const developmentPeople: readonly Person[] = [
  { id: 'ada', email: 'ada@example.test' },
  { id: 'stranger', email: 'stranger@example.test' },
  { id: 'unverified', email: 'ada@example.test', isVerified: false },
]

/** What the provider states of a person. */
export function claimsOf({ id, email, isVerified = true }: Person) {
  return { sub: id, ...(email === undefined ? {} : { email, email_verified: isVerified }) }
}
