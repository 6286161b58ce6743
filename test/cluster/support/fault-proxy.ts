import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { closeServer } from '../../../dev/close-server.ts'
import type { ControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { kubeconfigOf } from '../../../dev/quartermaster.ts'

/** The fault of a request that matches a rule. */
export type Fault =
  | { readonly kind: 'resetBefore' }
  | { readonly kind: 'resetAfter' }
  | { readonly kind: 'freeze' }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Record<string, string>
      readonly body?: unknown
    }

interface Rule {
  readonly fits: (method: string, url: string) => boolean
  readonly fault: Fault
  times: number
}

/** A plain HTTP server in front of an API server, with faults on request. */
export interface FaultProxy {
  readonly origin: string
  /** Lets the next `times` requests that fit suffer. */
  inject(fits: Rule['fits'], fault: Fault, times?: number): void
  /** From now on matching answers in progress stop, and their connections stay open. */
  silence(fits: Rule['fits']): void
  /** Breaks the connections of matching answers in progress; returns how many. */
  hangUp(fits: Rule['fits']): number
  /** Takes all rules back. */
  heal(): void
  /** Requests so far, as `METHOD path`. */
  readonly requests: readonly string[]
  /** TCP connections that clients opened so far. */
  readonly connections: number
  close(): Promise<void>
}

/** Starts a proxy to `target`. */
export async function startFaultProxy(target: { url: string; caFile: string }): Promise<FaultProxy> {
  const rules: Rule[] = []
  const requests: string[] = []
  const underWay = new Map<ServerResponse, IncomingMessage>()
  const ca = readFileSync(target.caFile)
  let connections = 0

  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '' } = incoming
    requests.push(`${method} ${url}`)
    const rule = rules.find((each) => each.times > 0 && each.fits(method, url))
    if (rule) rule.times -= 1
    handle(incoming, outgoing, rule?.fault)
  })
  server.on('connection', () => {
    connections += 1
  })

  function handle(incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault | undefined) {
    if (fault?.kind === 'resetBefore') {
      incoming.socket.destroy()
      return
    }
    if (fault?.kind === 'answer') {
      outgoing.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers })
      outgoing.end(JSON.stringify(fault.body ?? {}))
      return
    }
    const forwarded = request(
      new URL(incoming.url ?? '/', target.url),
      { method: incoming.method, headers: incoming.headers, ca },
      (answer) => {
        if (fault?.kind === 'resetAfter') {
          // The API server has written it; the client never receives the answer.
          answer.resume()
          answer.on('end', () => incoming.socket.destroy())
          return
        }
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        underWay.set(outgoing, answer)
        outgoing.on('close', () => {
          underWay.delete(outgoing)
          answer.destroy()
        })
        if (fault?.kind === 'freeze') {
          outgoing.flushHeaders()
          answer.resume()
          return
        }
        answer.pipe(outgoing)
        answer.on('error', () => outgoing.destroy())
      },
    )
    forwarded.on('error', () => incoming.socket.destroy())
    incoming.pipe(forwarded)
  }

  function inProgress(fits: Rule['fits']) {
    return [...underWay].filter(([{ req }]) => fits(req.method ?? '', req.url ?? ''))
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    origin: `http://127.0.0.1:${port}`,
    inject: (fits, fault, times = 1) => rules.push({ fits, fault, times }),
    silence(fits) {
      for (const [outgoing, answer] of inProgress(fits)) answer.unpipe(outgoing).resume()
    },
    hangUp(fits) {
      const found = inProgress(fits)
      for (const [outgoing] of found) outgoing.destroy()
      return found.length
    },
    heal() {
      rules.length = 0
    },
    requests,
    get connections() {
      return connections
    },
    close: () => closeServer(server),
  }
}

/** Writes a kubeconfig of the operator for the API server behind the proxy, and answers its path. */
export async function proxiedKubeconfig(
  { origin }: Pick<FaultProxy, 'origin'>,
  controlPlane: ControlPlane,
  directory: string,
  process: 'operator' | 'gateway' = 'operator',
): Promise<string> {
  const kubeconfig = await readFile(await kubeconfigOf(controlPlane, process, directory), 'utf8')
  const proxied = kubeconfig
    .replace(controlPlane.url, origin)
    .replace(/certificate-authority-data: .*/, 'insecure-skip-tls-verify: true')
  const file = join(directory, `proxied-${process}.kubeconfig`)
  await writeFile(file, proxied)
  return file
}
