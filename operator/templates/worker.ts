import { parentPort } from 'node:worker_threads'
import type { WorkerRequest, WorkerResponse } from './messages.ts'
import { failureOf, renderSteps } from './render.ts'

const answer = (response: WorkerResponse) => parentPort?.postMessage(response)

parentPort?.on('message', ({ id, ...request }: WorkerRequest) => {
  try {
    answer({ id, results: renderSteps(request) })
  } catch (error) {
    answer({ id, failure: failureOf(error) })
  }
})
answer({ ready: true })
