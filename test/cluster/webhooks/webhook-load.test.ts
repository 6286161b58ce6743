import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Webhook, WebhookCall } from '../../../operator/api/webhook.ts'
import { inParallel } from '../../../operator/kube/client/parallel.ts'
import { conditionStatus, eventually, moduleWith } from '../support/client.ts'
import { hang } from '../support/receiver/receiver.ts'
import { setUpHooks } from '../support/receiver/webhooks.ts'

const webhookCount = process.env.QUARTERMASTER_SOAK ? 1000 : 300
/** Few, so that a deployment is over long before a call that is not answered counts as tried. */
const resourceCount = 20
const externals = Object.fromEntries(
  Array.from({ length: resourceCount }, (_, each) => [`cache-${each}`, { type: 'redis' }]),
)
const names = Array.from({ length: webhookCount }, (_, each) => `hook-${each}`)
/** Every hundredth never answers, and every twentieth does not take the first call. */
const hanging = names.filter((_, each) => each % 100 === 0)
const slow = names.filter((_, each) => each % 20 === 1)
const good = names.filter((name) => !hanging.includes(name) && !slow.includes(name))

const { receiver, organization } = await setUpHooks('hookload')
beforeAll(async () => {
  for (const name of hanging) receiver.answer(`/${name}`, hang)
  for (const name of slow) receiver.answer(`/${name}`, 500, 200)
  await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'signing' },
    stringData: { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
  })
  await organization.environment('shop', 'dev')
  const make = (name: string) =>
    organization.apply('webhooks', 'Webhook', name, {
      applicationName: 'shop',
      url: receiver.url(`/${name}`),
      triggers: [{ scope: 'deployment', type: 'started' }],
      signingSecretName: 'signing',
    })
  await inParallel(names, make, 16)
  await eventually('all webhooks', 120_000, async () => {
    const webhooks = await organization.list<Webhook>('webhooks')
    return webhooks.every((each) => conditionStatus(each, 'Ready') === 'True') ? true : undefined
  })
})
afterAll(() => organization.kube('DELETE', `/api/v1/namespaces/${organization.id}`))

async function deploy(environmentName: string): Promise<void> {
  const deployment = await organization.deploy(environmentName, { modules: { web: moduleWith(externals) } })
  expect(conditionStatus(deployment, 'Ready')).toBe('True')
}

const takenBy = (webhooks: readonly string[], times: number) =>
  eventually(
    'calls that are taken',
    90_000,
    async () => webhooks.every((name) => receiver.calls(`/${name}`).length >= times) || undefined,
  )

test('a deployment does not wait for the calls of many webhooks, and no call waits for slow receivers', async () => {
  await deploy('shop.dev')
  // A call that is not answered counts as tried after ten seconds.
  const calls = await organization.list<WebhookCall>('webhookcalls')
  const tried = calls.filter(({ spec, status }) => hanging.includes(spec.webhookName) && status?.attempts)
  expect(tried.map(({ spec }) => spec.webhookName)).toEqual([])
  await takenBy(good, 1)
  await takenBy(slow, 2)
})

test('a receiver that answers at once is called once; all receive the event under one id', async () => {
  const ids = new Set(receiver.calls().map(({ headers }) => headers['webhook-id']))
  expect(ids.size).toBe(1)
  const wrong = good.filter((name) => receiver.calls(`/${name}`).length !== 1)
  expect(wrong).toEqual([])
})
