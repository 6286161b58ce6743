import { once } from 'node:events'
import { createServer } from 'node:https'
import { closeServer } from '../close-server.ts'
import { issueCertificate } from '../development-authority.ts'
import { createCalls, type ReceivedCall } from './calls.ts'
import { serve } from './handler.ts'
import { createRules, type RuleGiven } from './rules.ts'

export interface ReceiverOptions {
  /** Where the authority lies that issues its certificate. */
  readonly directory: string
  /** Any free port when not given. */
  readonly port?: number
}

/** A receiver of events over HTTPS that records every call. */
export interface Receiver {
  /** `https://localhost:<port>`, for which its certificate is. */
  readonly url: string
  /** Everything that came in, oldest first, repetitions and all. */
  received(): readonly ReceivedCall[]
  /** Forgets what came in. */
  forget(): void
  /** Makes the secret known that signs the calls to a path. */
  trust(path: string, secret: string): void
  /** Treats calls to a path badly. */
  misbehave(rule: RuleGiven): void
  /** Treats all calls well again. */
  behave(): void
  close(): Promise<void>
}

/** Starts a receiver on this machine; resolves when it listens. */
export async function startReceiver({ directory, port = 0 }: ReceiverOptions): Promise<Receiver> {
  const memory = { calls: createCalls(), rules: createRules() }
  const { crt: cert, key } = await issueCertificate(directory, ['localhost'])
  const server = createServer({ cert, key }, (request, response) => {
    serve(memory, request, response).catch((error: unknown) => {
      // A caller may end the request early.
      if (!request.destroyed) console.error(error)
      request.socket.destroy()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `https://localhost:${typeof address === 'object' ? address?.port : port}`,
    received: memory.calls.all,
    forget: memory.calls.clear,
    trust: memory.calls.trust,
    misbehave: (rule) => memory.rules.add(rule),
    behave: memory.rules.clear,
    close: () => closeServer(server),
  }
}
