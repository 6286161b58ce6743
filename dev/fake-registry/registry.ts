import { once } from 'node:events'
import { createServer } from 'node:https'
import { closeServer } from '../close-server.ts'
import { issueCertificate } from '../development-authority.ts'
import type { ImageBlobs } from '../image/archive.ts'
import { type Account, createAccounts } from './accounts.ts'
import { createContent } from './content.ts'
import { type Memory, type RegistryCall, serve } from './handler.ts'
import { createRules, type Rule } from './rules.ts'

interface RegistryOptions {
  /** Where the authority is that issues its certificate. */
  readonly directory: string
  /** Where it listens, on any free port. */
  readonly address: string
}

/** A private registry of container images over HTTPS, which records every call. */
export interface FakeRegistry {
  /** Host and port, as names of images begin. */
  readonly host: string
  /** Makes an image available under a tag. */
  push(repository: string, tag: string, image: ImageBlobs): void
  /** Adds a user, or changes the one of this name. */
  setAccount(account: Account): void
  /** Everything that came in, oldest first. */
  calls(): readonly RegistryCall[]
  /** Treats calls badly. */
  misbehave(rule: Rule): void
  /** Treats all calls well again. */
  behave(): void
  close(): Promise<void>
}

/** Starts a registry on this machine; resolves when it listens. */
export async function startFakeRegistry({ directory, address }: RegistryOptions): Promise<FakeRegistry> {
  const memory: Memory = {
    content: createContent(),
    accounts: createAccounts(),
    rules: createRules(),
    calls: [],
  }
  const { crt: cert, key } = await issueCertificate(directory, [address])
  const server = createServer({ cert, key }, (request, response) => serve(memory, request, response))
  server.listen(0, address)
  await once(server, 'listening')
  const listening = server.address()
  return {
    host: `${address}:${typeof listening === 'object' ? listening?.port : 0}`,
    push: memory.content.push,
    setAccount: memory.accounts.set,
    calls: () => [...memory.calls],
    misbehave: memory.rules.add,
    behave: memory.rules.clear,
    close: () => closeServer(server),
  }
}
