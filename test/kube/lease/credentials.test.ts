import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { loadConnection } from '../../../operator/kube/client/connection.ts'
import { electionTimes, startElection } from '../../../operator/kube/lease/leader.ts'
import { silentLog } from '../../../operator/log.ts'

const times = electionTimes(6000)

test('the lease is renewed with a new token when the API server refuses the former one', async () => {
  let token = 'first'
  let lease: unknown
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      request.resume()
      response.writeHead(401).end('{"reason":"Unauthorized","message":"Unauthorized"}')
      return
    }
    if (request.method !== 'GET') lease = await json(request)
    if (lease === undefined) response.writeHead(404).end('{"reason":"NotFound","message":"not found"}')
    else response.end(JSON.stringify(lease))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  const directory = await mkdtemp(join(tmpdir(), 'lease-'))
  const [tokenFile, kubeconfig] = [join(directory, 'token'), join(directory, 'kubeconfig')]
  await writeFile(tokenFile, token)
  const cluster = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } // of TCP
  const content = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster }],
    users: [{ name: 'x', user: { tokenFile } }],
  }
  await writeFile(kubeconfig, JSON.stringify(content))
  const connection = await loadConnection({ kubeconfig })
  const names = { namespace: 'system', name: 'operator', identity: 'one' }
  const election = startElection({ connection, log: silentLog, ...names, times })
  await election.elected
  token = 'second'
  await writeFile(tokenFile, token)
  await sleep(times.renewDeadlineMs + times.retryMs)
  expect(election.isLeader()).toBe(true)
  await election.release()
  server.close()
  await rm(directory, { recursive: true })
}, 30_000)
