import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { createClient } from '../client/client.ts'
import type { Credentials } from '../client/credentials.ts'
import { holdLease, type LeaseHolder } from './lease-holder.ts'
import { type LeaseEvent, type LeaseRequest, type LeaseWorkerData, sharedTimes } from './lease-messages.ts'

const { origin, pathPrefix, memory, ...options }: LeaseWorkerData = workerData
let credentials: Credentials
let holder: LeaseHolder | undefined
const emit = (event: LeaseEvent) => parentPort?.postMessage(event)
// Separate connections: renewals must not wait for other requests.
const client = createClient({ origin, pathPrefix, credentials: currentCredentials }, { connections: 2 })

/** The main thread alone reads them: refused ones are replaced for the next renewal. */
async function currentCredentials(refused?: Credentials): Promise<Credentials> {
  if (refused) emit({ kind: 'refused' })
  return credentials
}

function takeCredentials(given: Credentials) {
  credentials = given
  holder ??= holdLease({ ...options, client, shared: sharedTimes(memory), emit, onStuck: kill })
}

/** Another process may lead when the lease expires, so this one must have ended by then. */
function kill() {
  const message = `the main thread did not respond for ${options.times.stuckMs} ms: killing the process`
  // The logger needs the main thread.
  writeSync(1, `${JSON.stringify({ level: 'error', message, timestamp: new Date().toISOString() })}\n`)
  process.kill(process.pid, 'SIGKILL')
}

async function release() {
  try {
    await holder?.release()
  } catch (error) {
    emit({ kind: 'warning', message: 'could not release the lease', error })
  }
  await client.close()
  parentPort?.close()
}

parentPort?.on('message', (request: LeaseRequest) => {
  if (request.kind === 'credentials') takeCredentials(request.credentials)
  else void release()
})
