import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Call, Client } from './client.ts'
import { Failure } from './failure.ts'
import { pauseAfter } from './hints.ts'
import type { DriverInputs } from './inputs.ts'
import { type Outputs, outputsOf } from './outputs.ts'

/** One resource at the driver under test, as an orchestrator sees it: an id and a cookie. */
export interface Resource {
  readonly id: string
  /** The last answer of the driver; part of every later call. */
  cookie: string | undefined
  /** Whether there may be something to remove. */
  readonly touched: boolean
  put(inputs: DriverInputs, manner?: Call['manner']): Promise<Answer>
  /** Sends a PUT and leaves before the answer. */
  cutPut(inputs: DriverInputs): Promise<void>
  /** Repeats the PUT until it is answered 200; `first` is an answer that came already. */
  settle(inputs: DriverInputs, first?: Answer): Promise<Outputs>
  delete(): Promise<Answer>
  /** Repeats the DELETE until it is gone: 204, or 404 where nothing is left; answers the last status. */
  remove(first?: Answer): Promise<number>
}

/** An id as the orchestrator makes them: 40 hexadecimal digits. */
export function randomId(): string {
  return randomBytes(20).toString('hex')
}

/** A resource that the driver has not heard of; its work may take `patienceMs` altogether. */
export function newResource(client: Client, patienceMs: number, id: string = randomId()): Resource {
  let touched = false
  const callOf = (method: string): Call => ({
    method,
    path: id,
    ...(resource.cookie === undefined ? {} : { headers: { 'humanitec-driver-cookie': resource.cookie } }),
  })
  const remember = (answer: Answer) => {
    const said = answer.headers['set-humanitec-driver-cookie']
    if (said !== undefined && cookieFault(said) === undefined)
      resource.cookie = said === '' ? undefined : said
    return answer
  }
  const resource: Resource = {
    id,
    cookie: undefined,
    get touched() {
      return touched
    },
    async put(inputs, manner) {
      const before = touched
      touched = true
      const call = { ...callOf('PUT'), body: JSON.stringify(inputs), ...(manner ? { manner } : {}) }
      const answer = remember(await client.send(call))
      // What is refused makes nothing.
      if (answer.status >= 400 && answer.status < 500 && answer.status !== 409) touched = before
      return answer
    },
    async cutPut(inputs) {
      touched = true
      await client.cut({ ...callOf('PUT'), body: JSON.stringify(inputs) })
    },
    async settle(inputs, first) {
      const again = () => resource.put(inputs)
      const answer = await untilDone(first ?? (await again()), again, patienceMs)
      if (answer.status !== 200) throw new Failure(`the PUT was answered ${answer.status}, not 200 or 202`)
      return outputsOf(answer)
    },
    async delete() {
      const answer = remember(await client.send(callOf('DELETE')))
      if (answer.status === 204) resource.cookie = undefined
      return answer
    },
    async remove(first) {
      const { status } = await untilDone(first ?? (await resource.delete()), resource.delete, patienceMs)
      if (status !== 204 && status !== 404)
        throw new Failure(`the DELETE was answered ${status}, not 204 or 202`)
      touched = false
      return status
    },
  }
  return resource
}

/** Why a cookie cannot be kept. */
export function cookieFault(cookie: string): string | undefined {
  const bytes = Buffer.byteLength(cookie)
  if (bytes >= 10 * 1024) return `it has ${bytes} bytes; fewer than 10240 are allowed`
  if (/[^ -~]/.test(cookie)) return 'it holds characters other than printable ASCII'
  return undefined
}

const notYet = new Set([202, 409, 429])

/** Repeats what is answered "not yet". */
async function untilDone(first: Answer, again: () => Promise<Answer>, patienceMs: number): Promise<Answer> {
  const deadline = performance.now() + patienceMs
  let answer = first
  for (let polls = 0; notYet.has(answer.status); polls += 1) {
    const pause = pauseAfter(answer, polls)
    if (performance.now() + pause > deadline)
      throw new Failure(`it was still answered ${answer.status} after ${patienceMs / 1000} s`)
    await sleep(pause)
    answer = await again()
  }
  return answer
}
