import { Agent, request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Endpoint } from '../../../api-gateway/endpoint.ts'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { parameterNames } from '../../../api-gateway/openapi/document.ts'
import { parameters } from '../../../api-gateway/request/parameters.ts'
import { pathOf, resourceOf, secretResource } from '../../../operator/kube/client/resource.ts'
import { createRandom } from '../../support/random.ts'
import { addEverything, type Ids, pathWith } from '../support/everything.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { ruleOf } from '../support/rules.ts'

const count = process.env.QUARTERMASTER_SOAK ? 100_000 : 1500
const seed = process.env.QUARTERMASTER_SOAK ? Date.now() : 61

const evil = [
  ['.', '..', '%2e', '%2e%2e', '%2E%2e', '..;', '%252e%252e', '.%2e', '...'],
  ['%2F', '%2f', '%252F', '..%2f', '%2e%2e%2f', '..%2F..%2Fsecrets', '%5C', '..%5c', '%255c'],
  ['%00', 'a%00', '%2500', '%0d%0a', '%0A', '%09', '%20', '%7f'],
  ['%c0%ae', '%c0%af', '%e0%80%af', '%f0%80%80%af', '%ff', '%ed%a0%80', '%c0', '%'],
  ['%zz', '%2', '%u002f', '%ef%bc%8f', '%e2%81%84', '%ef%bc%8e', '%e2%80%ae'],
  ['?', '%3F', '%3ffieldManager=x', '%23', ',', '%2C', '=', '%3D', '&', ';', ':', '@', '*', '%', '~', '$'],
  ['acme%2Fdns', 'acme%252Fdns', 'acme%2F..', 'a/b', '', 'constructor', '__proto__', 'toString'],
] as const
const nasty = evil.flat() as unknown as readonly [string, ...string[]] // it has some

let own: Ids
let gateway: TestGateway
let router: TestGateway
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** Every path in the real router, with handlers that return the parameters. */
const echoing: Endpoint[] = [...new Set(endpoints.map(({ path }) => path))].map((path) => ({
  method: 'get',
  path,
  summary: '',
  tag: '',
  access: 'public',
  responses: {},
  handle: ({ params }) => ({ status: 200, body: { path, params } }),
}))

beforeAll(async () => {
  gateway = await startGateway()
  own = await addEverything(gateway, 'acme', 'acme')
  router = await startGateway({ endpoints: echoing })
})
afterAll(async () => {
  agent.destroy()
  await gateway.close()
  await router.close()
})

function get(path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port: router.port, agent, path }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.once('error', reject)
    sent.end()
  })
}

const random = createRandom(seed)

/** A path of an operation, spoilt in up to three places. */
function generated(): string {
  const template = random.pick(echoing as unknown as readonly [Endpoint, ...Endpoint[]]).path // it has some
  const segments = pathWith(template, own).split('/').slice(1)
  for (let spoilt = random.below(4); spoilt > 0; spoilt -= 1) {
    const at = random.below(segments.length + 1)
    const segment = segments[at] ?? ''
    const cut = random.below(segment.length + 1)
    const letter = `%${Buffer.from(segment.slice(cut, cut + 1) || 'a').toString('hex')}`
    const ways: readonly [() => void, ...(() => void)[]] = [
      () => segments.splice(at, 1, random.pick(nasty)),
      () => segments.splice(at, 0, random.pick(nasty)),
      () => segments.splice(at, 1, segment.slice(0, cut) + random.pick(nasty) + segment.slice(cut)),
      () => segments.splice(at, 1, segment.slice(0, cut) + letter + segment.slice(cut + 1)),
      () => segments.splice(at, 1, encodeURIComponent(segment)),
      () => segments.splice(at, 1, segment.toUpperCase()),
      () => segments.splice(at, 1),
      () => segments.push(''),
    ]
    random.pick(ways)()
  }
  return `/${segments.join('/')}`
}

type Outcome = { status: number; path?: string; params?: Record<string, string> }

/** A minimal router: raw segments, each decoded once, and then matched with the pattern of its parameter. */
function reference(target: string): Outcome {
  const segments = (target.split('?')[0] ?? '').split('/')
  const fitting = echoing
    .map(({ path }) => ({ path, parts: path.split('/') }))
    .filter(
      ({ parts }) =>
        parts.length === segments.length &&
        parts.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i])),
    )
  // A literal has precedence over a parameter.
  const [best] = fitting.sort((left, right) => rank(left.parts) - rank(right.parts))
  if (!best) return { status: 404 }
  const params: Record<string, string> = {}
  for (const [i, part] of best.parts.entries()) {
    if (!part.startsWith('{')) continue
    try {
      params[part.slice(1, -1)] = decodeURIComponent(segments[i] ?? '')
    } catch {
      return { status: 400 }
    }
  }
  return Object.entries(params).every(([name, value]) => isFit(name, value))
    ? { status: 200, path: best.path, params }
    : { status: 404 }
}

function rank(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum * 2 + (part.startsWith('{') ? 1 : 0), 0)
}

function isFit(name: string, value: string): boolean {
  const schema = parameters[name] as { pattern?: string; minLength?: number; maxLength?: number } // each is a string
  const { pattern = '', minLength = 0, maxLength = 0 } = schema
  return value.length >= minLength && value.length <= maxLength && new RegExp(pattern).test(value)
}

test(`${count} spoilt paths lead where a reference router says, and nowhere else`, async () => {
  const seen = new Map<number, number>()
  for (let i = 0; i < count; i += 20) {
    const paths = Array.from({ length: 20 }, generated)
    const answers = await Promise.all(paths.map(get))
    for (const [at, { status, text }] of answers.entries()) {
      const path = paths[at] ?? ''
      const outcome: Outcome = status === 200 ? { status, ...JSON.parse(text) } : { status }
      expect([path, outcome]).toEqual([path, reference(path)])
      seen.set(status, (seen.get(status) ?? 0) + 1)
    }
  }
  for (const status of [200, 400, 404]) expect([status, (seen.get(status) ?? 0) > 5]).toEqual([status, true])
  expect(router.logged.filter(({ level }) => level === 'error')).toEqual([])
}, 300_000)

/** Records the address of everything that is asked of the cluster or written to it. */
function journalOf({ cluster }: TestGateway): string[] {
  const addresses: string[] = []
  for (const verb of ['create', 'replace', 'patch', 'remove'] as const) {
    const given = cluster[verb] as (...all: unknown[]) => unknown
    Object.assign(cluster, {
      [verb]: (
        kind: never,
        object: { metadata: { namespace: string; name: string } },
        ...rest: unknown[]
      ) => {
        addresses.push(pathOf(resourceOf(kind), object.metadata.namespace, object.metadata.name))
        return given(kind, object, ...rest)
      },
    })
  }
  for (const verb of ['read', 'readAll'] as const) {
    const given = cluster[verb] as (...all: unknown[]) => unknown
    Object.assign(cluster, {
      [verb]: (kind: never, namespace: string, name?: string) => {
        addresses.push(pathOf(resourceOf(kind), namespace, name))
        return given(kind, namespace, name)
      },
    })
  }
  const createSecret = cluster.createSecret
  cluster.createSecret = (secret) => {
    addresses.push(pathOf(secretResource, secret.metadata.namespace, secret.metadata.name))
    return createSecret(secret)
  }
  return addresses
}

describe('an id leads to no other path of Kubernetes and into no selector', () => {
  /** The operations for an id: all of them in the long tests and for every fourth id, else one for each parameter. */
  const protectedEndpoints = endpoints.filter(({ access, path }) => access !== 'public' && path.includes('{'))
  const onePerParameter = [
    ...new Map(
      protectedEndpoints.flatMap((each) => parameterNames(each.path).map((name) => [name, each])),
    ).values(),
  ]
  const ids = [
    'a?b=c',
    'a,b',
    'a=b',
    'a/b',
    'a%b',
    'a%2Fb',
    '../secrets',
    'a&limit=1',
    'a#b',
    'a\0b',
    'a b',
    'a;b',
    'ä',
  ]
  const address =
    /^\/(apis\/quartermaster\.dev\/v1alpha1|api\/v1)\/namespaces\/(acme|quartermaster-system)\/[a-z]+(\/[a-z0-9][a-z0-9.-]*)?$/

  test.each(ids.map((id, index) => [id, index % 4 === 0] as const))('%j', async (id, isEverywhere) => {
    const chosen = isEverywhere || process.env.QUARTERMASTER_SOAK ? protectedEndpoints : onePerParameter
    const addresses = journalOf(gateway)
    let sent = 0
    for (const each of chosen) {
      const { body } = ruleOf(each)
      for (const name of parameterNames(each.path)) {
        const target = pathWith(each.path, { ...own, [name]: id })
        const answer = await gateway.send(`${each.method.toUpperCase()} ${target}`, { body })
        // The first build of an image creates it, and names of images have slashes.
        if (name === 'image_id' && each.method === 'post' && id === 'a/b') continue
        expect([target, [403, 404].includes(answer.status), answer.status]).toEqual([
          target,
          true,
          answer.status,
        ])
        sent += 1
      }
      if (typeof body !== 'object' || body === null) continue
      const filled = Object.fromEntries(
        Object.entries(body).map(([key, value]) => [key, typeof value === 'string' ? id : value]),
      )
      const { status } = await gateway.send(`${each.method.toUpperCase()} ${pathWith(each.path, own)}`, {
        body: filled,
      })
      expect([each.path, status < 500]).toEqual([each.path, true])
    }
    expect(sent).toBeGreaterThan(chosen.length)
    expect(addresses.filter((each) => !address.test(each))).toEqual([])
  })
})
