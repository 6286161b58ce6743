import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Provider } from 'oidc-provider'
import type { Person } from './people.ts'
import { type CallDeed, callDeeds, type Rules } from './rules.ts'

/** A call as it came in; of its query and body nothing is kept. */
export interface JournalEntry {
  readonly at: string
  readonly method: string
  readonly path: string
}

/** What the server works on. */
export interface Served {
  readonly provider: Provider
  readonly people: readonly Person[]
  readonly rules: Rules
  calls: readonly JournalEntry[]
}

type Fields = Readonly<Record<string, unknown>>

const controls: Readonly<Record<string, (served: Served, body: Fields) => unknown>> = {
  'GET /__calls': ({ calls }) => calls,
  'DELETE /__calls': (served) => {
    served.calls = []
  },
  'GET /__misbehave': ({ rules }) => rules.show(),
  'POST /__misbehave': ({ rules }, body) => rules.add(body),
  'DELETE /__misbehave': ({ rules }) => rules.clear(),
}

/** Serves one request: of a browser, of the gateway, or of the hands behind the provider. */
export async function serve(
  served: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/' } = request
  const { pathname: path } = new URL(url, 'http://localhost')
  if (path.startsWith('/__')) return answerControl(served, `${method} ${path}`, request, response)
  served.calls = [...served.calls, { at: new Date().toISOString(), method, path }]
  const deed = served.rules.next(path, callDeeds)
  if (deed) return deeds[deed](response, served.provider)
  if (path.startsWith('/interaction/')) return interact(served, request, response)
  await served.provider.callback()(request, response)
}

const deeds: Readonly<Record<CallDeed, (response: ServerResponse, provider: Provider) => void>> = {
  status: (response) => void response.writeHead(503, { 'content-type': 'text/plain' }).end('out of order'),
  garbage: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"a": <'),
  empty: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  partial: (response, { issuer }) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ issuer })),
  hang: () => {},
  reset: (response) => void response.socket?.resetAndDestroy(),
  redirect: (response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  flood(response) {
    response.writeHead(200, { 'content-type': 'application/json' })
    const chunk = Buffer.alloc(65_536, ' ')
    const pour = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', pour)
    pour()
  },
}

async function answerControl(
  served: Served,
  what: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = (status: number, said: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  }
  const body = await text(request)
  const run = controls[what]
  if (!run) return answer(404, { message: `nothing is at '${what}'` })
  try {
    answer(200, run(served, body === '' ? {} : JSON.parse(body)) ?? null)
  } catch (error) {
    answer(400, { message: String(error) })
  }
}

/** Shows who can be chosen, or takes the choice: a person, or none. */
async function interact(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { provider, people } = served
  if (request.method !== 'POST') {
    await provider.interactionDetails(request, response) // there is one
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(people))
    return
  }
  const chosen = new URLSearchParams(await text(request)).get('person')
  const person = people.find(({ id }) => id === chosen)
  const result = person
    ? { login: { accountId: person.id } }
    : { error: 'access_denied', error_description: 'no user was chosen' }
  await provider.interactionFinished(request, response, result)
}

function page(people: readonly Person[]): string {
  const button = (value: string, label: string) =>
    `<p><button name="person" value="${value}">${label}</button></p>`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Who are you?</title>
<h1>Who are you?</h1>
<p>This identity provider is for development and asks for no password.</p>
<form method="post">
${people.map(({ id, email = 'no address' }) => button(id, `${id}, ${email}`)).join('\n')}
${button('', 'No user')}
</form>
</html>
`
}
