import { describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { hasStatusMessage, withOperatorNotice } from '../../../api-gateway/response/operator-notice.ts'
import { type TestGateway } from '../support/gateway.ts'
import { addEnvironment, addResource } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

let isRunning = true

const gateway = await setUpGateway(() => {}, { hasOperator: () => isRunning })

const notice = 'no operator is running: the request is stored and waits'
const environment = '/orgs/acme/apps/shop/envs/development'
const deploy = { comment: 'first', delta_id: '' }

async function newDelta(): Promise<string> {
  const modules = { add: { web: { profile: 'humanitec/default-module', spec: {} } } }
  return (await gateway.send('POST /orgs/acme/apps/shop/deltas', { body: { modules } })).body.id
}

describe('requests recorded while no operator runs', () => {
  test.each<[what: string, status: number, send: () => ReturnType<TestGateway['send']>]>([
    [
      'a new application',
      201,
      () => gateway.send('POST /orgs/acme/apps', { body: { id: 'other', name: 'Other' } }),
    ],
    [
      'a new environment',
      201,
      () =>
        gateway.send('POST /orgs/acme/apps/shop/envs', {
          body: { id: 'live', name: 'Live', type: 'production' },
        }),
    ],
    [
      'a deployment',
      201,
      async () =>
        gateway.send(`POST ${environment}/deploys`, { body: { ...deploy, delta_id: await newDelta() } }),
    ],
    ['the deletion of an environment', 202, () => gateway.send(`DELETE ${environment}`)],
    ['the deletion of an application', 202, () => gateway.send('DELETE /orgs/acme/apps/shop')],
  ])('says so, and nothing while one runs: %s', async (_, status, send) => {
    const answers = []
    for (isRunning of [false, true]) {
      gateway.reset()
      addEnvironment(gateway)
      addResource(gateway)
      answers.push(await send())
    }
    expect(answers.map((each) => each.status)).toEqual([status, status])
    expect(answers.map(({ body }) => body?.status_message)).toEqual([notice, undefined])
  })

  test('every operation that the operator completes can have the notice', () => {
    const going = endpoints.filter(({ responses }) => 202 in responses)
    expect(going).not.toEqual([])
    expect(going.filter(({ responses }) => !hasStatusMessage(responses[202]))).toEqual([])
  })

  test('a notice in the answer stays', () => {
    const { responses } = endpoints.find(
      ({ path, method }) => path === '/orgs/{org_id}/apps' && method === 'post',
    ) ?? {
      responses: {},
    }
    const answer = { status: 201, body: { id: 'shop', status_message: 'Pending: x' } }
    const of = (method: 'get' | 'post') => withOperatorNotice(answer, { method, responses }, () => false).body
    expect(of('post')).toEqual({ id: 'shop', status_message: `Pending: x; ${notice}` })
    expect(of('get')).toEqual(answer.body)
  })
})

test.each([
  [true, 200, { status: 'ok' }],
  [false, 200, { status: 'ok', status_message: 'no operator is running: requests are stored and wait' }],
])(
  'a gateway is ready whether or not an operator runs, and says which: %s',
  async (running, status, body) => {
    isRunning = running
    expect(await gateway.send('GET /readyz', { as: null })).toMatchObject({ status, body })
  },
)
