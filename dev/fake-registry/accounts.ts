/** A user who may pull the images of the repositories whose names have this beginning. */
export interface Account {
  readonly username: string
  readonly password: string
  readonly repositories: string
}

export interface Credentials {
  readonly username: string
  readonly password: string
}

export type Accounts = ReturnType<typeof createAccounts>

/** The users of a registry. */
export function createAccounts() {
  const accounts = new Map<string, Account>()
  return {
    /** Adds a user, or changes the one of this name. */
    set(account: Account): void {
      accounts.set(account.username, account)
    },
    /** The user with these credentials. */
    find(credentials: Credentials | undefined): Account | undefined {
      const account = accounts.get(credentials?.username ?? '')
      return account && account.password === credentials?.password ? account : undefined
    },
  }
}

/** User name and password of the scheme Basic (RFC 7617). */
export function credentialsIn(authorization: string | undefined): Credentials | undefined {
  const [, encoded] = /^basic +([\w+/]+=*)$/i.exec(authorization ?? '') ?? []
  const plain = Buffer.from(encoded ?? '', 'base64').toString()
  const colon = plain.indexOf(':')
  return colon < 0 ? undefined : { username: plain.slice(0, colon), password: plain.slice(colon + 1) }
}
