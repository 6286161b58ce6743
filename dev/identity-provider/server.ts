import { once } from 'node:events'
import { createServer } from 'node:http'
import { closeServer } from '../close-server.ts'
import { type JournalEntry, type Served, serve } from './handler.ts'
import { developmentPeople, type Person } from './people.ts'
import { createProvider, type ProviderClient, type StatedClaims } from './provider.ts'
import { createRules, type RuleGiven } from './rules.ts'

export interface IdentityProviderOptions {
  readonly client: ProviderClient
  /** Any free port when not given. */
  readonly port?: number
  readonly people?: readonly Person[]
  readonly stated?: StatedClaims
}

/** An identity provider on this machine. */
export interface IdentityProvider {
  /** `http://localhost:<port>`: another host than that of the gateway, so that a browser keeps them apart. */
  readonly issuer: string
  calls(): readonly JournalEntry[]
  misbehave(rule: RuleGiven): void
  behave(): void
  close(): Promise<void>
}

/** Starts an identity provider; resolves when it listens. */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const { client, people = developmentPeople, stated = 'sub' } = options
  const server = createServer((request, response) => {
    serve(served, request, response).catch((error: unknown) => {
      if (!request.destroyed) console.error(error)
      response.destroy()
    })
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : options.port
  const issuer = `http://localhost:${port}`
  const rules = createRules()
  const provider = createProvider({ issuer, client, people, rules, stated })
  const served: Served = { provider, people, rules, calls: [] }
  return {
    issuer,
    calls: () => served.calls,
    misbehave: (rule) => rules.add(rule),
    behave: rules.clear,
    close: () => closeServer(server),
  }
}
