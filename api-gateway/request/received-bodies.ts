import type { Request } from 'express'
import { receiveBody } from './body.ts'
import { createByteBudget } from './byte-budget.ts'

/** Limits of the request bodies in memory, per caller and of all. They take up to 17 times as much when they are read. */
const maxReceivedBytes = 16 * 1024 * 1024
const maxReceivedBytesOfAll = 32 * 1024 * 1024
const refusal = 'too many bodies of requests are in memory'

/** Receives the bodies of requests while there is room for them. */
export interface ReceivedBodies {
  /** Receives a body of `owner` and keeps its bytes counted until `use` ends. Throws what `receiveBody` and the limits throw. */
  during<T>(request: Request, owner: string, maxBytes: number, use: (bytes: Buffer) => Promise<T>): Promise<T>
}

/** Creates the bodies of a process. */
export function createReceivedBodies(): ReceivedBodies {
  const budget = createByteBudget({
    limit: maxReceivedBytes,
    total: maxReceivedBytesOfAll,
    refusal,
  })
  return {
    async during(request, owner, maxBytes, use) {
      const bytes = await receiveBody(request, {
        maxBytes,
        reserve: (count) => budget.reserve(owner, count),
        release: (count) => budget.release(owner, count),
      })
      try {
        return await use(bytes)
      } finally {
        budget.release(owner, bytes.length)
      }
    },
  }
}
