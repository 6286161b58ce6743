import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'undici'
import { eventually } from './client.ts'

/** What a process holds on to. */
export interface Holdings {
  /** What is in use after a garbage collection. */
  readonly heapMiB: number
  /** Timers and sockets that keep the event loop alive. */
  readonly timers: number
  readonly sockets: number
}

/** Asks the inspector of a process that runs with `--inspect` on this port. */
export async function holdingsOf(port: number): Promise<Holdings> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string
  }[] // as the inspector lists them
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '')
  await once(socket, 'open')
  let id = 0
  async function ask<T>(method: string, params: object = {}): Promise<T> {
    id += 1
    const own = id
    const answer = eventually(method, 60_000, async () => answers.get(own))
    socket.send(JSON.stringify({ id: own, method, params }))
    return (await answer) as T
  }
  const answers = new Map<number, unknown>()
  socket.addEventListener('message', ({ data }) => {
    const { id: answered, result } = JSON.parse(String(data))
    if (answered !== undefined) answers.set(answered, result)
  })
  try {
    for (let round = 0; round < 3; round += 1) {
      await ask('HeapProfiler.collectGarbage')
      await sleep(200)
    }
    const { usedSize } = await ask<{ usedSize: number }>('Runtime.getHeapUsage')
    const { result } = await ask<{ result: { value: string[] } }>('Runtime.evaluate', {
      expression: 'process.getActiveResourcesInfo()',
      returnByValue: true,
    })
    const countOf = (pattern: RegExp) => result.value.filter((each) => pattern.test(each)).length
    return { heapMiB: usedSize / 2 ** 20, timers: countOf(/Timeout/), sockets: countOf(/TCPSocket/) }
  } finally {
    socket.close()
  }
}
