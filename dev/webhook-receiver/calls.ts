import { Webhook } from 'standardwebhooks'

/** A call as it came in. */
export interface ReceivedCall {
  readonly at: string
  readonly method: string
  /** With the query, as it was asked for. */
  readonly path: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The signed text. */
  readonly body: string
  /** Whether the signature is good; null while no secret is known for the path. */
  verified: boolean | null
}

export type Calls = ReturnType<typeof createCalls>

/** Everything that came in, oldest first, repetitions and all; signatures are verified by what others publish. */
export function createCalls() {
  const secrets = new Map<string, string>()
  let received: ReceivedCall[] = []

  function verify({ path, body, headers }: ReceivedCall): boolean | null {
    const secret = secrets.get(withoutQuery(path))
    if (secret === undefined) return null
    try {
      new Webhook(secret).verify(body, headers, { jsonParse: false })
      return true
    } catch {
      return false
    }
  }

  return {
    all: (): readonly ReceivedCall[] => [...received],
    add(call: Omit<ReceivedCall, 'at' | 'verified'>): void {
      const entry: ReceivedCall = { at: new Date().toISOString(), ...call, verified: null }
      entry.verified = verify(entry)
      received.push(entry)
    },
    clear(): void {
      received = []
    },
    /** Makes the signatures of a path known: of calls to come, and of those that could not be verified yet. */
    trust(path: string, secret: string): void {
      void new Webhook(secret) // throws for what is no secret
      secrets.set(path, secret)
      for (const each of received) each.verified ??= verify(each)
    },
  }
}

/** The path alone: what secrets and rules are for. */
export function withoutQuery(path: string): string {
  return path.replace(/\?.*$/s, '')
}
