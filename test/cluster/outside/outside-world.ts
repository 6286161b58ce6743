import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { closeServer } from '../../../dev/close-server.ts'
import { issueCertificate } from '../../../dev/development-authority.ts'
import type { Random } from '../../support/random.ts'
import { type CookieBook, cookieBook, type Kill } from './cookie-book.ts'
import { type Asked, answer, type Fault, faultsBy, killingFaults, type Reply } from './faults.ts'

/** Where things are: each is a separate server for its users. */
const worlds = ['north', 'south', 'secure'] as const
export type World = (typeof worlds)[number]

/** Something that exists outside the cluster. */
interface Thing {
  readonly world: World
  readonly id: string
  /** Differs from all others, also from an earlier one at this place. */
  readonly serial: number
  readonly madeAt: number
  input: Input
  /** The revision of the last PUT that may have been answered 200; -1 before. */
  answered: number
}

/** What the definitions of this test send. */
interface Input {
  readonly type: string
  readonly resource: Readonly<Record<string, unknown>>
  readonly driver: {
    readonly values: { readonly revision: number; readonly environment: string }
    readonly secrets: { readonly token: string; readonly account?: { readonly key: string } }
  }
}

/** A driver that follows the protocol, or misbehaves in any way that leaves the truth to its caller. */
export interface OutsideWorld {
  readonly targets: Readonly<Record<World | 'moved south', string>>
  /** By world and GUResID. */
  readonly things: ReadonlyMap<string, Thing>
  readonly cookies: CookieBook
  /** Calls that the protocol does not allow, and things that ended without a reason. */
  readonly violations: readonly string[]
  /** What happened, one line for each call and each note. */
  readonly journal: readonly string[]
  note(text: string): void
  /** Lets this part of the calls fail in any way. */
  misbehave(probability: number): void
  /** A person asks for the end of a resource, or of all those of an environment. */
  askForEnd(what: string): void
  outputsOf(thing: Thing): { readonly values: object; readonly secrets: object }
  close(): Promise<void>
}

const header = 'set-humanitec-driver-cookie'
/** A call of before the request to delete its resource may arrive this much later. */
const longestCallMs = 35_000

export async function startOutsideWorld(options: {
  readonly directory: string
  readonly random: Random
  /** Part of all secrets. */
  readonly canary: string
  readonly kills: readonly Kill[]
  kill(): Promise<void>
}): Promise<OutsideWorld> {
  const { directory, random, canary, kills, kill } = options
  const things = new Map<string, Thing>()
  const asked = new Map<string, number>()
  const cookies = cookieBook(kills)
  const journal: string[] = []
  const violations: string[] = []
  const faults = [...faultsBy(random), ...killingFaults(kill, random)]
  const start = Date.now()
  let probability = 0
  let serials = 0

  const note = (text: string) => void journal.push(`${Date.now() - start} ${text}`)
  function violate(text: string) {
    note(`VIOLATION: ${text}`)
    violations.push(text)
  }

  function outputsOf({ serial, world, input }: Thing) {
    const { values, secrets } = input.driver
    return {
      values: { bucket: `bucket-${serial}`, region: world, revision: values.revision, ...input.resource },
      secrets: {
        password: `${canary}-password-${serial}`,
        token: secrets.token,
        ...(secrets.account ? { account: secrets.account.key } : {}),
      },
    }
  }

  function put(world: World, id: string, body: string): Reply {
    const input = JSON.parse(body) as Input // of the definitions of this test
    const existing = things.get(`${world}/${id}`)
    serials += existing ? 0 : 1
    const thing = existing ?? { world, id, serial: serials, madeAt: Date.now(), input, answered: -1 }
    thing.input = input
    things.set(`${world}/${id}`, thing)
    return { status: 200, body: { id, type: input.type, resource: outputsOf(thing) } }
  }

  function remove(world: World, id: string): Reply {
    const thing = things.get(`${world}/${id}`)
    if (!thing) return { status: 404, body: { message: 'does not exist' } }
    if (!mayEnd(thing)) violate(`'${world}/${id}' ends without a reason`)
    things.delete(`${world}/${id}`)
    return { status: 204 }
  }

  /** Whether a person asked for it, or a later definition has it made in another world. */
  function mayEnd({ world, id, madeAt, input }: Thing): boolean {
    const { revision, environment } = input.driver.values
    if ([id, environment].some((each) => (asked.get(each) ?? 0) > madeAt - longestCallMs)) return true
    return [...things.values()].some(
      (each) => each.id === id && each.world !== world && each.answered > revision,
    )
  }

  function faultFor(method: string): Fault | undefined {
    if (!random.chance(probability)) return undefined
    const fitting = faults.filter(({ methods }) => methods?.includes(method) ?? true)
    return fitting[random.below(fitting.length)]
  }

  /** Does the work, unless the fault is that it does not. */
  function work(fault: Fault | undefined, { method, body }: Asked, world: World, id: string): Reply {
    const { effect = 'yes', isGood = false } = fault ?? { isGood: true }
    if (effect === 'no' || (effect === 'either' && random.chance(0.5))) return { status: 500 }
    if (method === 'DELETE') return remove(world, id)
    const reply = put(world, id, body)
    const thing = things.get(`${world}/${id}`)
    if (thing && isGood) thing.answered = thing.input.driver.values.revision
    return reply
  }

  function cookieFor(fault: Fault | undefined): string | undefined {
    if (fault?.cookie !== undefined) return fault.cookie
    if (random.chance(0.3)) return undefined
    return random.chance(0.1) ? '' : `cookie-${journal.length}-${canary}`
  }

  function respond(call: Asked, world: World, id: string): void {
    const { method, request } = call
    const place = `${world}/${id}`
    const sent = request.headers['humanitec-driver-cookie']
    const possible = cookies.possibleAt(place)
    if (!possible.some((each) => each === sent))
      violate(`${method} '${place}' has the cookie '${String(sent)}' instead of '${possible.join(`' or '`)}'`)
    const fault = faultFor(method)
    const reply = work(fault, call, world, id)
    const cookie = cookieFor(fault)
    note(`${method} ${place} as '${String(sent)}': ${reply.status} (${fault?.name ?? 'well'}) '${cookie}'`)
    const { isGood, mayLose = false, withoutHeaders = false } = fault ?? { isGood: true }
    if (cookie !== undefined && !withoutHeaders)
      cookies.write(place, { cookie: cookie === '' ? undefined : cookie, mayLose })
    if (method === 'DELETE' && isGood && [204, 404].includes(reply.status))
      cookies.write(place, { cookie: undefined, mayLose })
    const headers: Record<string, string> = cookie === undefined ? {} : { [header]: cookie }
    if (fault) fault.give(call, reply, headers)
    else answer(call, { ...reply, headers })
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '' } = request
    const [, path = '', id = ''] = url.split('/')
    const world = worlds.find((each) => path === each || path === `moved-${each}`)
    if (!world || !/^[0-9a-f]{40}$/.test(id)) {
      violate(`${method} ${url}`)
      request.socket.destroy()
      return
    }
    respond({ method, body: Buffer.concat(chunks).toString(), request, response }, world, id)
  }

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response).catch((error: unknown) => {
      violate(String(error))
      request.socket.destroy()
    })
  }
  const { crt: cert, key } = await issueCertificate(directory, ['127.0.0.1'])
  const plain = createServer(handle)
  const secure = createSecureServer({ cert, key }, handle)
  secure.prependListener('connection', (socket) => {
    if (random.chance(probability)) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  const origin = `http://127.0.0.1:${await portOf(plain)}`
  return {
    targets: {
      north: `${origin}/north`,
      south: `${origin}/south`,
      'moved south': `${origin}/moved-south`,
      secure: `https://127.0.0.1:${await portOf(secure)}/secure`,
    },
    things,
    cookies,
    violations,
    journal,
    note,
    misbehave(next) {
      probability = next
      note(`of all calls, ${next} go wrong`)
    },
    askForEnd(what) {
      asked.set(what, Date.now())
      note(`the end of '${what}' is asked for`)
    },
    outputsOf,
    async close() {
      await Promise.all([closeServer(plain), closeServer(secure)])
    },
  }
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port // listens on a port
}
