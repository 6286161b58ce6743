import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The output of a gateway in a separate process. */
export interface Condition {
  readonly rss: number
  /** Errors that it logged. */
  readonly errors: readonly string[]
}

/** A gateway over a fake cluster in a separate process, so that its memory can be measured. */
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
