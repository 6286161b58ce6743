import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type BundleName, provideBundles } from '../dev/build.ts'

let directory: string
let kubeconfig: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bundles-'))
  kubeconfig = join(directory, 'kubeconfig')
  await provideBundles(directory)
  // An address without an API server.
  const config = {
    'current-context': 'none',
    contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
    clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:9' } }],
    users: [{ name: 'none', user: { token: 'none' } }],
  }
  await writeFile(kubeconfig, JSON.stringify(config))
})
afterAll(() => rm(directory, { recursive: true }))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number } // it listens on a port
  server.close()
  return port
}

/** Runs a bundle after the given code; answers its output once that contains `until`, or it ended. */
async function run(
  name: BundleName,
  { code = '', settings = {}, until }: { code?: string; settings?: object; until?: string },
  meanwhile: (port: number) => Promise<void> = async () => {},
) {
  const port = await freePort()
  const loaded = `--import=data:text/javascript,${encodeURIComponent(code)}`
  const child = spawn(process.execPath, [loaded, join(directory, `${name}.mjs`)], {
    env: {
      QUARTERMASTER_KUBECONFIG: kubeconfig,
      QUARTERMASTER_HEALTH_PORT: String(port),
      QUARTERMASTER_GATEWAY_PORT: String(port),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let seen = ''
  const lookFor = async (chunk: Buffer) => {
    const before = seen
    seen += chunk.toString()
    if (seen.includes('"started"') && !before.includes('"started"')) await meanwhile(port)
    if (until !== undefined && seen.includes(until) && seen.includes('"started"')) child.kill('SIGKILL')
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void lookFor(chunk))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [exitCode] = await ended
  return { exitCode: exitCode as number | null, lines: `${out}${err}`.split('\n').filter(Boolean) }
}

/** All lines, each of which has to be one JSON object. */
function parsed(lines: readonly string[]): { level: string; message: string; fields: string }[] {
  return lines.map((line) => {
    const { level, message, ...fields } = JSON.parse(line) as { level: string; message: string }
    return { level, message, fields: JSON.stringify(fields) }
  })
}

describe.each<BundleName>(['gateway', 'operator'])(
  'every line that the %s writes is one JSON object',
  (name) => {
    test('when Node warns', async () => {
      const code = "setTimeout(() => process.emitWarning('provoked'), 1000)"
      const { lines } = await run(name, { code, until: 'provoked' })
      const warning = parsed(lines).find(({ fields }) => fields.includes('provoked'))
      expect(warning).toMatchObject({ level: 'warn', message: 'Node warns' })
    })

    test.each([
      ['throws', "setTimeout(() => { throw new Error('provoked') }, 1000)"],
      ['rejects', "setTimeout(() => Promise.reject(new Error('provoked')), 1000)"],
    ])('when something %s without a handler, and it ends with a failure', async (_, code) => {
      const { exitCode, lines } = await run(name, { code })
      expect(exitCode).toBe(1)
      expect(parsed(lines).at(-1)).toMatchObject({
        level: 'error',
        fields: expect.stringMatching(/provoked.*stack/),
      })
    })

    test('when a setting cannot be read, and it ends with a failure', async () => {
      const { exitCode, lines } = await run(name, { settings: { QUARTERMASTER_LEASE_SECONDS: 'soon' } })
      expect(exitCode).toBe(1)
      expect(parsed(lines)).toMatchObject([
        { level: 'error', fields: expect.stringContaining('QUARTERMASTER_LEASE_SECONDS') },
      ])
    })
  },
)

test('every line that the gateway writes is one JSON object, for every path', async () => {
  const { lines } = await run('gateway', { until: 'Node warns' }, async (port) => {
    const socket = connect(port, '127.0.0.1')
    for (const path of ['/healthz#x', '//a:b@c:99999', '*', '/orgs\u00a0', 'http://x:y/'])
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 'latin1')
    socket.on('error', () => {})
    socket.on('end', () => socket.end())
  })
  // The path parser uses an API that Node has deprecated.
  expect(parsed(lines).map(({ fields }) => fields)).toContainEqual(expect.stringContaining('url.parse'))
})
