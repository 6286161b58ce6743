import { parseJson } from '../../operator/domain/base/json.ts'
import type { Exchange } from './client.ts'
import { isJson, type Json, textsIn } from './inputs.ts'

const mask = '***'
const longest = 400
const shortestMasked = 4
const cookieHeaders = ['humanitec-driver-cookie', 'set-humanitec-driver-cookie']

/** What was sent and what came, in two lines, without secrets and cookies. */
export function describeExchange(
  exchange: Exchange,
  secrets: readonly string[],
): { sent: string; came: string } {
  const { call, answer } = exchange
  const hidden = [...secrets, ...cookiesOf(exchange), ...secretsAnswered(answer?.text)]
  const cookie = call.headers?.['humanitec-driver-cookie'] === undefined ? '' : ' with its cookie'
  const manner = call.manner === 'cut' ? ', connection cut' : ''
  const body = call.body === undefined ? '' : ` ${shown(call.body, hidden)}`
  return {
    sent: `${call.method} /${shown(call.path, [])}${cookie}${manner}${body}`,
    came: answer ? `${answer.status} ${shown(answer.text, hidden)}`.trimEnd() : 'nothing',
  }
}

function shown(text: string, hidden: readonly string[]): string {
  const body = parseJson(text)
  const masked = isJson(body) ? JSON.stringify(withoutSecrets(body)) : text
  const clean = hidden
    .filter((each) => each.length >= shortestMasked)
    .sort((left, right) => right.length - left.length)
    .flatMap((each) => [each, JSON.stringify(each).slice(1, -1)])
    .reduce((rest, each) => rest.replaceAll(each, mask), masked)
    .replaceAll(/\s+/g, ' ')
  return clean.length > longest ? `${clean.slice(0, longest)}… (${text.length} characters)` : clean
}

/** All values under `secrets` are masked, however short. */
function withoutSecrets(body: Json): Json {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      if (key === 'secrets') return [key, mask]
      return [key, isJson(value) ? withoutSecrets(value) : value]
    }),
  )
}

function secretsAnswered(text: string | undefined): string[] {
  const body = parseJson(text ?? '')
  return isJson(body) && isJson(body.resource) ? textsIn(body.resource.secrets) : []
}

function cookiesOf({ call, answer }: Exchange): string[] {
  return cookieHeaders.flatMap((name) => [call.headers?.[name] ?? [], answer?.headers[name] ?? []].flat())
}
