import { expect, test } from '@jest/globals'
import { newObject } from '../../../../operator/api/kind.ts'
import { ResourceDriver } from '../../../../operator/api/resource-driver.ts'
import { Stalled } from '../../../../operator/domain/base/errors.ts'
import { driverAddress } from '../../../../operator/domain/definition/third-party.ts'
import type { Cookie } from '../../../../operator/drivers/driver.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { activeResource } from '../../../support/builders.ts'
import { casesOf, fc } from '../../../support/properties.ts'
import { createWorld, type World } from '../../support/world.ts'

/** Drivers of the organization by name, and their servers; two have the same server. */
const targets = { one: 'https://a.test', other: 'https://a.test/', third: 'https://b.test' } as const
type Name = keyof typeof targets

/** How a server answers calls: well, with a refusal, or well while the operator then ends before it writes the status. */
type Answer = 'well' | 'refused' | 'crash'
interface Move {
  readonly name: Name
  readonly answers: readonly Answer[]
  readonly cookie: 'another' | 'none' | 'the same'
}

const base = activeResource({ type: 's3', resourceId: 'shared.files' })

/** A resource that servers hold, with the cookie that each gave last. */
function makeServers() {
  const cookies = new Map<string, string | undefined>()
  const things = new Set<string>()
  const mistakes: string[] = []
  let answers: Answer[] = []
  let cookieOf: Move['cookie'] = 'another'
  let count = 0
  let isEnding = false

  async function call(method: string, target: string, cookie: Cookie | undefined): Promise<Answer> {
    const address = driverAddress(target)
    const sent = await cookie?.read()
    if (sent !== cookies.get(address))
      mistakes.push(`${method} ${address} with '${sent}', not '${cookies.get(address)}'`)
    const answer = answers.shift() ?? 'well'
    count += 1
    const next = cookieOf === 'another' ? `cookie ${count}` : undefined
    if (cookie && cookieOf !== 'the same' && sent !== next) await cookie.write(next)
    if (cookieOf !== 'the same') cookies.set(address, next)
    if (answer === 'refused') throw new Stalled('DriverRefused', 'no')
    return answer
  }

  const world = createWorld([], {
    factories: {
      wrapping: () => {
        throw new Error('no driver wraps another')
      },
      remote: (descriptor, target) => ({
        descriptor,
        async provision({ cookie }) {
          const answer = await call('PUT', target, cookie)
          things.add(driverAddress(target))
          if (answer === 'crash') isEnding = true
          return { outputs: { values: {}, secrets: {} }, objects: [] }
        },
        async deprovision({ cookie }) {
          await call('DELETE', target, cookie)
          things.delete(driverAddress(target))
          await cookie?.write(undefined)
          cookies.set(driverAddress(target), undefined)
        },
      }),
    },
  })
  for (const [name, target] of Object.entries(targets))
    world.cluster.put(
      ResourceDriver,
      newObject(ResourceDriver, { name, namespace: 'acme' }, { type: 's3', target }),
    )
  world.beforeStatus = () => {
    if (isEnding) throw new Error('the process ended')
  }

  return {
    world,
    mistakes,
    things,
    cookies,
    async move({ name, answers: next, cookie }: Move) {
      answers = [...next]
      cookieOf = cookie
      const latest = world.now(base) ?? base
      const definition = {
        definitionName: 'bucket',
        driverType: `acme/${name}`,
        driverInputs: { values: { count } },
      }
      const resource = world.put({ ...latest, spec: { ...latest.spec, definition } })
      for (const answer of next) {
        await world.reconcile(world.now(resource) ?? resource).catch(() => {})
        if (answer === 'crash') {
          isEnding = false
          world.restart()
        }
      }
    },
    calm() {
      answers = []
      isEnding = false
    },
    /** Deprovisions in vain, after which the process ends. */
    async refuse() {
      answers = ['refused']
      await world.reconcile(world.now(base) ?? base).catch(() => {})
      world.restart()
    },
  }
}

const move = fc.record<Move>({
  name: fc.constantFrom('one', 'other', 'third'),
  answers: fc.array(fc.constantFrom('well', 'refused', 'crash'), { minLength: 1, maxLength: 3 }),
  cookie: fc.constantFrom('another', 'none', 'the same'),
})
const moves = fc.array(move, { minLength: 1, maxLength: 8 })

const ends = ['none', 'deleted', 'deleted with its organization'] as const

/** A namespace that is being deleted takes no new objects. */
function refuseNewObjects({ objects }: World): void {
  objects.before = ({ kind, metadata: { name, namespace } }) => {
    if (objects.get(kind, name)) return
    const message = `unable to create new content in namespace ${namespace} because it is being terminated`
    throw new ApiError(403, 'Forbidden', message)
  }
}

test('a server gets the cookie that it gave last, whichever driver calls it', async () => {
  await fc.assert(
    fc.asyncProperty(moves, move, fc.constantFrom(...ends), async (all, late, end) => {
      const isDeleted = end !== 'none'
      const { world, mistakes, things, cookies, move: moveTo, calm, refuse } = makeServers()
      for (const each of all) await moveTo(each)
      if (end === 'deleted with its organization') {
        refuseNewObjects(world)
        await moveTo(late)
      }
      calm()
      if (isDeleted) world.remove(base)
      if (end === 'deleted') await refuse()
      expect(await world.reconcile(world.now(base) ?? base)).toBeUndefined()
      const last = targets[all.at(-1)?.name ?? 'one']
      expect(mistakes).toEqual([])
      expect([...things]).toEqual(isDeleted ? [] : [driverAddress(last)])
      const kept = world.objects.names().filter((each) => each.includes('-cookie-'))
      expect(kept).toHaveLength(!isDeleted && cookies.get(driverAddress(last)) !== undefined ? 1 : 0)
    }),
    { numRuns: casesOf(300) },
  )
})
