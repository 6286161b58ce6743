import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ActiveResource } from '../../operator/api/active-resource.ts'
import { DeploymentDelta } from '../../operator/api/deployment-delta.ts'
import { newObject } from '../../operator/api/kind.ts'
import { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { startGateway, type TestGateway, tokenOf } from '../api-gateway/support/gateway.ts'
import { addEnvironment, addResource, finish } from '../api-gateway/support/objects.ts'

const run = promisify(execFile)
const page = readFileSync(join(import.meta.dirname, '../../docs/rest.md'), 'utf8')
const requestsFile = join(import.meta.dirname, '../../examples/http/01-twelve-endpoints.http')
const [start = '', ...sections] = page.split(/^## /m)

/** The first block of a language in a text. */
const block = (text: string, language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text)?.[1]

const setUp = (block(start, 'sh') ?? '').split('\n').slice(1).join('\n') // the file of `make demo` is not here
const examples = sections.map((text) => {
  const answer = text.slice(text.lastIndexOf('\nAnswers '))
  return {
    title: text.split('\n', 1)[0] ?? '',
    command: block(text, 'sh') ?? '',
    statuses: [...(answer.split('\n\n', 1)[0] ?? '').matchAll(/`(\d{3})`/g)].map(([, code]) => Number(code)),
    shown: block(answer, 'json'),
  }
})

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
  gateway.cluster.addOrganization('acme', 'Acme') // as the sample calls it
  addEnvironment(gateway, 'staging', 'development')
  const modules = { add: { backend: { spec: {}, externals: {} } } }
  const delta = { applicationName: 'shop', modules }
  const put = (kind: typeof DeploymentDelta | typeof ResourceDefinition, name: string, spec: object) =>
    gateway.cluster.put(kind, newObject(kind, { namespace: 'acme', name }, spec as never)) // of either kind
  put(DeploymentDelta, 'first-release', delta)
  put(ResourceDefinition, 'redis', { type: 'redis', driverType: 'quartermaster/echo', criteria: [{}] })
  await gateway.send('POST /orgs/acme/apps/shop/envs/staging/deploys', {
    body: { delta_id: 'first-release' },
  })
  finish(gateway, 'shop.staging.1')
  addResource(gateway, { definition: 'dns-example', environment: 'staging' })
  const cache = {
    type: 'redis',
    resourceId: 'shared.cache',
    definition: 'redis-shared-server',
    environment: 'staging',
  }
  const name = addResource(gateway, cache)
  const { spec } = gateway.cluster.store.get(ActiveResource, 'acme', name) as ActiveResource // just added
  const lastTransitionTime = '2026-02-01T12:00:00Z'
  const ready = { type: 'Ready', status: 'True', reason: 'Reconciled', message: '', lastTransitionTime }
  const status = { conditions: [ready], outputs: { host: 'redis.development.internal', port: 6379 } }
  const context = { ...spec.context, environmentType: 'development' }
  addResource(gateway, cache, { spec: { context }, status })
})
afterAll(() => gateway.close())

/** Whether values have the same form: times, hashes and secrets differ between runs. */
function isLike(shown: unknown, actual: unknown): boolean {
  if (Array.isArray(shown))
    return Array.isArray(actual) && shown.every((item) => actual.some((each) => isLike(item, each)))
  if (typeof shown !== 'object' || shown === null) return isSame(shown, actual)
  const fields = actual as Readonly<Record<string, unknown>> | null // or anything else, which has no such fields
  return Object.entries(shown).every(([key, value]) => isLike(value, fields?.[key]))
}

const changing = /^\d{4}-\d\d-\d\dT|^[0-9a-f-]{16,}$|-inputs-[0-9a-f]+|^whsec_/
function isSame(shown: unknown, actual: unknown): boolean {
  if (typeof shown !== 'string' || !changing.test(shown)) return shown === actual
  return typeof actual === 'string' && changing.test(actual)
}

test.each(examples)('$title', async ({ command, statuses, shown }) => {
  // The status is on a separate line after the body.
  const script = `curl() { command curl -sS -w '\\n%{http_code}' "$@"; }\n${setUp}\n${command}`
  const { stdout } = await run('bash', ['-euc', script], {
    env: { ...process.env, GATEWAY_URL: gateway.url, ADMIN_TOKEN: tokenOf('admin') },
  })
  const lines = stdout.split('\n')
  expect(statuses).toContain(Number(lines.pop()))
  const actual = lines.join('\n')
  if (shown === undefined) return
  const [wanted, body] = [JSON.parse(shown), JSON.parse(actual)]
  expect([isLike(wanted, body), body]).toEqual([true, body])
})

test('the page has the twelve, as the file of requests has them', () => {
  const titles = [...readFileSync(requestsFile, 'utf8').matchAll(/^### (\d+\. [^:;\n]+)/gm)].map(
    ([, title]) => title,
  )
  expect(examples.map(({ title }) => Number.parseInt(title, 10))).toEqual(titles.map((_, i) => i + 1))
  expect(examples.every(({ statuses }) => statuses.length > 0)).toBe(true)
})
