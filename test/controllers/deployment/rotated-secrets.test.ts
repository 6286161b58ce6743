import { afterEach, describe, expect, test } from '@jest/globals'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { compareText } from '../../../operator/domain/base/json.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import type { Driver, ProvisionRequest } from '../../../operator/drivers/driver.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
import { driver } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createOperatorWorld, type OperatorWorld, type Wanted } from '../support/operator-world.ts'

const idOf = ({ resourceId }: ProvisionRequest) => resourceId.replace('shared.', '')

/** What a resource outputs: its own inputs, and what its dependencies output. */
const textOf = (id: string, edition: unknown, password: unknown, needs: readonly string[]) =>
  `${id}:${String(edition)}:${String(password ?? '-')}(${needs.toSorted(compareText).join(',')})`

/** Outputs the text, which its dependents take as inputs. */
const maker: Driver = {
  descriptor: driver('maker'),
  async provision(request) {
    const { needs = {}, edition } = request.values
    const given = Object.values(needs as Record<string, string>) // outputs of dependencies
    const name = textOf(idOf(request), edition, request.secrets.password, given)
    const metadata = { name: idOf(request), namespace: request.namespace }
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { name } }
    return { outputs: { values: { name }, secrets: {} }, objects: [object] }
  },
  async deprovision() {},
}

/** A resource: those before it that it depends on, the Secret that it refers to, and the version of its definition. */
interface Row {
  readonly needs: readonly number[]
  readonly secret: number | undefined
  readonly edition: number
}

const rows = fc.array(
  fc.record({
    needs: fc.array(fc.nat(), { maxLength: 2 }),
    secret: fc.option(fc.nat(2), { nil: undefined }),
    edition: fc.constant(1),
  }),
  { minLength: 1, maxLength: 8 },
)

function wantedOf(all: readonly Row[]): Wanted[] {
  return all.map(({ needs, secret, edition }, index): Wanted => {
    const dependsOn = [...new Set(index === 0 ? [] : needs.map((each) => `r${each % index}`))]
    const own = { id: `r${index}`, dependsOn, values: { edition } }
    return secret === undefined ? own : { ...own, secret: `login-${secret}` }
  })
}

/** What each resource must output. */
function expectedTexts(wanted: readonly Wanted[], passwords: readonly string[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const { id, dependsOn = [], values = {}, secret } of wanted) {
    const password = secret === undefined ? undefined : passwords[Number(secret.replace('login-', ''))]
    const needs = dependsOn.map((each) => texts[each] ?? '')
    texts[id] = textOf(id, values.edition, password, needs)
  }
  return texts
}

let world: OperatorWorld
afterEach(() => world?.close())

/** Writes the Secrets as their owners do. */
function putSecrets(passwords: readonly string[]): void {
  for (const [index, password] of passwords.entries())
    world.objects.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `login-${index}`, namespace: 'acme' },
      data: { password: Buffer.from(password).toString('base64') },
    })
}

/** What the resources output at the moment at which a deployment ends; undefined when it fails. */
async function textsAtEndOf(name: string): Promise<Record<string, unknown> | undefined> {
  let texts: Record<string, unknown> | undefined
  world.fake.store.cacheOf(EnvironmentDeployment).subscribe(({ after }) => {
    if (after?.metadata.name !== name || !isFinished(after) || !isReady(after) || texts) return
    texts = Object.fromEntries(world.ids().map((id) => [id, world.resource(id)?.status?.outputs?.name]))
  })
  expect(await world.hasSucceeded(name)).toBe(true)
  return texts
}

const before = ['one', 'two', 'three']

async function deployed(wanted: readonly Wanted[]): Promise<void> {
  world = createOperatorWorld([maker])
  putSecrets(before)
  world.start()
  world.deploy('first', wanted)
  expect(await textsAtEndOf('first')).toEqual(expectedTexts(wanted, before))
  world.log.length = 0
}

const aboutResources = () =>
  world.log.filter((each) => !/ (Environment|EnvironmentDeployment|Workload) /.test(each))

/** The Secrets that are read, in order. */
function readSecrets(): string[] {
  const reads: string[] = []
  const { client } = world.objects
  const { request } = client
  Object.assign(client, {
    request: (method: string, path: string, options?: object) => {
      if (method === 'GET') reads.push(path.slice(path.lastIndexOf('/') + 1))
      return request(method, path, options)
    },
  })
  return reads
}

describe('when a deployment succeeds', () => {
  test('every resource has the current content of the Secrets and the outputs of its dependencies', async () => {
    const change = fc.record({
      rotated: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      edited: fc.array(fc.boolean(), { maxLength: 8 }),
    })
    await fc.assert(
      fc.asyncProperty(rows, change, async (all, { rotated, edited }) => {
        await deployed(wantedOf(all))
        const after = before.map((each, index) => (rotated[index] ? `${each}-rotated` : each))
        const wanted = wantedOf(all.map((row, index) => ({ ...row, edition: edited[index] ? 2 : 1 })))
        putSecrets(after)
        world.deploy('second', wanted)
        expect(await textsAtEndOf('second')).toEqual(expectedTexts(wanted, after))
        world.close()
      }),
      { numRuns: casesOf(400), endOnFailure: true },
    )
  })

  test('also when a process dies at any request', async () => {
    const wanted = wantedOf([
      { needs: [], secret: 0, edition: 1 },
      { needs: [0], secret: undefined, edition: 1 },
      { needs: [1], secret: 1, edition: 1 },
      { needs: [], secret: undefined, edition: 1 },
    ])
    const after = ['uno', 'two', 'three']
    for (const moment of ['before', 'after'] as const) {
      let isKilled = true
      for (let at = 1; isKilled; at += 1) {
        await deployed(wanted)
        putSecrets(after)
        const process = world.start({ at, moment })
        world.deploy('second', wanted)
        expect([at, await textsAtEndOf('second')]).toEqual([at, expectedTexts(wanted, after)])
        isKilled = !process.isAlive
        world.close()
      }
    }
  })
})

describe('a deployment of unchanged resources', () => {
  test('writes none of them, and reads the Secrets of those alone that refer to one', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        const wanted = wantedOf(all)
        await deployed(wanted)
        const reads = readSecrets()
        world.deploy('second', wanted)
        expect(await world.hasSucceeded('second')).toBe(true)
        expect(aboutResources()).toEqual([])
        expect(new Set(reads)).toEqual(new Set(wanted.flatMap(({ secret }) => secret ?? [])))
        world.close()
      }),
      { numRuns: casesOf(100), endOnFailure: true },
    )
  })
})

test('a deployment reads a Secret once for all unchanged resources that refer to it', async () => {
  const wanted = wantedOf(Array.from({ length: 40 }, () => ({ needs: [], secret: 0, edition: 1 })))
  await deployed(wanted)
  const reads = readSecrets()
  world.deploy('second', wanted)
  expect(await world.hasSucceeded('second')).toBe(true)
  // A reconcile of the time before may end only now.
  expect(reads.length).toBeLessThan(10)
})

test('a Secret without its key keeps a deployment from its success until it has the key again', async () => {
  const wanted = wantedOf([{ needs: [], secret: 0, edition: 1 }])
  await deployed(wanted)
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login-0', namespace: 'acme' } }
  world.objects.put({ ...secret, data: {} })
  const reads = readSecrets()
  world.deploy('second', wanted)
  await world.until(() => reads.length > 0)
  const passwords = ['anew', 'two', 'three']
  putSecrets(passwords)
  world.start() // a retry would come later
  expect(await textsAtEndOf('second')).toEqual(expectedTexts(wanted, passwords))
})
