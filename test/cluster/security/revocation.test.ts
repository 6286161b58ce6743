import { createHash, randomBytes } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from '@jest/globals'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import { oneOfThree } from '../../support/timing.ts'
import { eventually, makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'revoked')
const system = '/apis/quartermaster.dev/v1alpha1/namespaces/quartermaster-system'
const own = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}`
const perSecond = 1000
const agent = new Agent({ keepAlive: true, maxSockets: 32 })
const made: string[] = []

afterAll(async () => {
  agent.destroy()
  for (const path of made) await apiCall(cluster.access, 'DELETE', path).catch(() => undefined)
})

async function create(folder: string, kind: string, name: string, spec: object): Promise<string> {
  const plural = `${kind.toLowerCase()}s`
  const object = { apiVersion: 'quartermaster.dev/v1alpha1', kind, metadata: { name }, spec }
  await apiCall(cluster.access, 'POST', `${folder}/${plural}`, object)
  made.push(`${folder}/${plural}/${name}`)
  return `${folder}/${plural}/${name}`
}

/** A member with a token, and where each is kept. */
async function makeMember() {
  const name = `member-${randomBytes(4).toString('hex')}`
  const text = `qm_${name}_${randomBytes(16).toString('hex')}`
  const sha256 = createHash('sha256').update(text).digest('hex')
  const user = await create(system, 'User', name, { type: 'human' })
  const token = await create(system, 'AccessToken', name, { userName: name, sha256 })
  const membership = await create(own, 'Membership', name, { role: 'member' })
  return { text, user, token, membership }
}

function statusFor(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${cluster.gatewayUrl}/orgs/${organization.id}/apps`,
      { agent, headers },
      (response) => {
        response.resume()
        response.once('end', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.once('error', reject)
    sent.end()
  })
}

test.each(['token', 'user', 'membership'] as const)(
  'what was let in by its %s is refused within a second of its deletion, also in a flood of requests',
  async (what) => {
    await oneOfThree(() => revoke(what))
  },
)

async function revoke(what: 'token' | 'user' | 'membership') {
  const member = await makeMember()
  await eventually('access', 30_000, async () => ((await statusFor(member.text)) === 200 ? true : undefined))
  const flooding = new AbortController()
  const answers: { status: number; sentAt: number }[] = []
  const flood = (async () => {
    const underWay = new Set<Promise<void>>()
    const started = performance.now()
    for (let sent = 0; !flooding.signal.aborted; ) {
      for (; sent < ((performance.now() - started) / 1000) * perSecond && underWay.size < 500; sent += 1) {
        const sentAt = performance.now()
        const one: Promise<void> = statusFor(member.text).then((status) => {
          answers.push({ status, sentAt })
          underWay.delete(one)
        })
        underWay.add(one)
      }
      await sleep(2)
    }
    await Promise.all(underWay)
  })()
  await sleep(1000)
  await apiCall(cluster.access, 'DELETE', member[what])
  const revokedAt = performance.now()
  await sleep(1500)
  flooding.abort()
  await flood
  const late = answers.filter(({ sentAt }) => sentAt > revokedAt + 1000)
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(50)
  expect(late.length).toBeGreaterThan(50)
  expect(new Set(late.map(({ status }) => status))).toEqual(new Set([403]))
}
