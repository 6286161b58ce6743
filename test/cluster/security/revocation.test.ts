import { createHash, randomBytes } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { afterAll, expect, test } from '@jest/globals'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import { eventually, makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'revoked')
const system = '/apis/quartermaster.dev/v1alpha1/namespaces/quartermaster-system'
const own = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}`
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
  'a caller authenticated by its %s is refused after its deletion, also in a flood of requests',
  async (what) => {
    const member = await makeMember()
    await eventually('access', 30_000, async () =>
      (await statusFor(member.text)) === 200 ? true : undefined,
    )
    const flooding = new AbortController()
    let sent = 0
    const answers: { status: number; number: number }[] = []
    const refused = () => answers.find(({ status }) => status === 403)
    const flood = (async () => {
      const underWay = new Set<Promise<void>>()
      for (; !flooding.signal.aborted; sent += 1) {
        const number = sent
        const one: Promise<void> = statusFor(member.text).then((status) => {
          answers.push({ status, number })
          underWay.delete(one)
        })
        underWay.add(one)
        if (underWay.size >= 50) await Promise.race(underWay)
      }
      await Promise.all(underWay)
    })()
    await eventually('a flood', 30_000, async () => answers.length > 50 || undefined)
    await apiCall(cluster.access, 'DELETE', member[what])
    await eventually('a refusal', 30_000, async () => refused() !== undefined || undefined)
    const first = sent
    await eventually('more answers', 30_000, async () => sent > first + 100 || undefined)
    flooding.abort()
    await flood
    const late = answers.filter(({ number }) => number >= first)
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(50)
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([403]))
  },
)
