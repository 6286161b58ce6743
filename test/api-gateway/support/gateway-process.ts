import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What a gateway in a process of its own says about itself. */
export interface Condition {
  readonly rss: number
  /** What it logged as its own fault. */
  readonly errors: readonly string[]
}

/** A gateway over a fake cluster in a process of its own, so that its memory is nobody else's. */
export async function startGatewayProcess() {
  const child = fork(fileURLToPath(new URL('./serve-gateway.ts', import.meta.url)), { execArgv: [] })
  const next = async () => (await once(child, 'message'))[0]
  const { port }: { port: number } = await next()
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async condition(): Promise<Condition> {
      const answer = next()
      child.send('condition')
      return answer
    },
    async close(): Promise<void> {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
