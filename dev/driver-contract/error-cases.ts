import { parseJson } from '../../operator/domain/base/json.ts'
import type { Bench, Case } from './case.ts'
import type { Answer } from './client.ts'
import { Failure, Skipped } from './failure.ts'
import { isJson, secretTexts } from './inputs.ts'
import { randomId } from './resource.ts'

/** What is wrong is refused as the caller's fault, in words, and without telling secrets. */
export const errorCases: readonly Case[] = [
  {
    name: 'bad-json',
    title: 'a body that is not JSON is answered 4xx',
    async run(bench) {
      const { status } = await sendBrokenJson(bench)
      if (status < 400 || status >= 500) throw new Failure(`it was answered ${status}, not 4xx`)
    },
  },
  {
    name: 'missing-driver',
    title: `a body without 'driver' is answered 400 or 422`,
    async run(bench) {
      expectRefusal(await sendWithoutDriver(bench))
    },
  },
  {
    name: 'bad-inputs',
    title: 'wrong inputs are answered 400 or 422',
    async run({ resource, bad }) {
      if (!bad) throw new Skipped(`the inputs have no 'bad'`)
      expectRefusal(await resource().put(bad))
    },
  },
  {
    name: 'error-bodies',
    title: 'errors are JSON or plain text, and contain no secrets',
    async run(bench) {
      const { resource, bad, given } = bench
      const answers = [await sendBrokenJson(bench), await sendWithoutDriver(bench)]
      if (bad) answers.push(await resource().put(bad))
      const secrets = [given, ...(bad ? [bad] : [])].flatMap(secretTexts)
      for (const answer of answers.filter(({ status }) => status >= 400)) {
        checkErrorBody(answer)
        if (secrets.some((secret) => answer.text.includes(secret)))
          throw new Failure(`a secret appears in the body of a ${answer.status}`)
      }
    },
  },
  {
    name: 'bad-id',
    title: 'invalid ids are not answered 5xx',
    async run({ client, resource, given }) {
      const body = JSON.stringify(given)
      for (const path of ['../x', '..%2Fx', `${randomId()}%00`, 'x'.repeat(2000)]) {
        const { status } = await client.send({ method: 'PUT', path, body })
        if (status >= 500) throw new Failure(`the id '${path.slice(0, 60)}' was answered ${status}`)
        if (status < 300) await client.send({ method: 'DELETE', path })
      }
      const { status } = await resource(randomId().toUpperCase()).put(given)
      if (status >= 500) throw new Failure(`an id in upper case was answered ${status}`)
    },
  },
  {
    name: 'wrong-method',
    title: 'unknown methods are answered 404, 405 or 501',
    async run({ client, given }) {
      for (const method of ['POST', 'PATCH']) {
        const { status } = await client.send({ method, path: randomId(), body: JSON.stringify(given) })
        if (![404, 405, 501].includes(status)) throw new Failure(`${method} was answered ${status}`)
      }
    },
  },
]

/** The inputs, cut off before their end. */
async function sendBrokenJson({ client, given }: Bench): Promise<Answer> {
  return client.send({ method: 'PUT', path: randomId(), body: JSON.stringify(given).slice(0, -2) })
}

/** Its secrets are where a driver does not look for them. */
async function sendWithoutDriver({ client, given }: Bench): Promise<Answer> {
  const { driver, ...rest } = given
  return client.send({
    method: 'PUT',
    path: randomId(),
    body: JSON.stringify({ ...rest, secrets: driver.secrets }),
  })
}

function expectRefusal({ status }: Answer): void {
  if (status !== 400 && status !== 422) throw new Failure(`it was answered ${status}, not 400 or 422`)
}

function checkErrorBody({ status, headers, text }: Answer): void {
  const place = `the body of a ${status}`
  if (text.trim() === '')
    throw new Failure(`${place} is empty; describe the problem in 'error' and 'message'`)
  if (/html/i.test(headers['content-type'] ?? '') || /^\s*</.test(text)) throw new Failure(`${place} is HTML`)
  const body = parseJson(text)
  if (!isJson(body)) return // a text, as JSON or plain
  const { error, message } = body
  if (typeof error !== 'string' && typeof message !== 'string')
    throw new Failure(`${place} has neither 'error' nor 'message'`)
}
