import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { provideBundles } from '../../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { installInto, type RunningProcess, startQuartermaster } from '../../../dev/quartermaster.ts'
import type { HttpDriverServer } from '../../drivers/support/http-driver-server.ts'
import { conditionStatus, eventually, makeTestOrganization, type Organization } from '../support/client.ts'
import { claimHost, ingressIn, prepareIngresses } from '../support/hosts.ts'
import { readinessIn } from '../support/observing.ts'
import { type ThirdParty, thirdPartyOf } from '../support/third-party.ts'

let controlPlane: ControlPlane
let directory = ''
let operator: RunningProcess
let first: Organization
let second: Organization
let drivers: ThirdParty

// The same identity each time: a container that is started again is the same candidate.
const settings = {
  QUARTERMASTER_IDENTITY: 'operator',
  QUARTERMASTER_LEASE_SECONDS: '30',
  QUARTERMASTER_OUTBOUND_ALLOWED: '127.0.0.0/8',
}
const start = () => startQuartermaster(controlPlane, 'operator', { directory, settings })

async function restart() {
  await operator.kill()
  operator = await start()
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-restart-'))
  controlPlane = await startControlPlane({ directory })
  await Promise.all([provideBundles(directory, ['operator']), installInto(controlPlane)])
  operator = await start()
  first = await makeTestOrganization({ access: controlPlane }, 'first')
  second = await makeTestOrganization({ access: controlPlane }, 'second')
  await Promise.all([prepareIngresses(first), prepareIngresses(second)])
  drivers = thirdPartyOf(first)
})

afterAll(async () => {
  await drivers?.close()
  await operator?.stop()
  await controlPlane?.stop()
})

describe('SIGKILL of the operator while a driver is asked', () => {
  test('between 202 and 200 creates no second instance, and the cookie is sent again', async () => {
    // After its first answer it says nothing more until the operator is another one.
    const answer = () => {
      if (server.journal.length === 1) server.next.push(...Array<'hang'>(10).fill('hang'))
      return { type: 's3', resource: { values: {}, secrets: {} }, manifests: [] }
    }
    const server: HttpDriverServer = await drivers.serve({ createsInTwoSteps: true, answer })
    await drivers.registerByKubectl('slow', server.target)
    const deployed = drivers.deploy('slow', 'slow')
    await eventually('the cookie', 30_000, async () => {
      const { status } = await drivers.bucketIn('slow')
      const [name] = status?.secretNames ?? []
      const path = `/api/v1/namespaces/${first.id}/secrets/${name}`
      return (await first.kube('GET', path)).status === 200 ? true : undefined
    })
    await operator.kill()
    server.next.length = 0
    operator = await start()
    expect(conditionStatus(await deployed, 'Ready')).toBe('True')
    expect(new Set(server.journal.map(({ url }) => url)).size).toBe(1)
    expect(server.existing.size).toBe(1)
    const [initial, ...again] = server.journal.map(({ headers }) => headers['humanitec-driver-cookie'])
    expect(initial).toBe(undefined)
    expect(again).toEqual(again.map(() => expect.stringMatching(/^made-/)))
  })

  test('before the answer creates no second instance', async () => {
    const server = await drivers.serve()
    server.next.push('hang')
    await drivers.registerByKubectl('hanging', server.target)
    const deployed = drivers.deploy('hanging', 'hanging')
    await eventually('the call', 30_000, async () => server.journal.length > 0 || undefined)
    await restart()
    expect(conditionStatus(await deployed, 'Ready')).toBe('True')
    expect(server.journal.map(({ url }) => url)).toEqual(Array(2).fill(server.journal[0]?.url))
    expect(server.existing.size).toBe(1)
  })

  test('of a resource deleted before the answer deprovisions the instance that may exist', async () => {
    const server = await drivers.serve()
    server.next.push('hang')
    await drivers.registerByKubectl('lost', server.target)
    void drivers.deploy('lost', 'lost').catch(() => {})
    await eventually('the call', 30_000, async () => server.journal.length > 0 || undefined)
    await operator.kill()
    await first.remove('environments', 'shop.lost')
    await first.remove('resourcedrivers', 'lost')
    operator = await start()
    await eventually('the end of the environment', 30_000, async () =>
      (await first.get('environments', 'shop.lost')) ? undefined : true,
    )
    expect(server.journal.map(({ method }) => method)).toEqual(['PUT', 'DELETE'])
  })
})

test('a host stays with the first organization when the operator restarts', async () => {
  const host = 'shop.example.test'
  await claimHost(first, 'hosts', host)
  const { uid } = (await ingressIn(first, 'hosts'))?.metadata ?? {}
  expect(conditionStatus(await claimHost(second, 'hosts', host), 'Ready')).toBe('False')
  await restart()
  // Every later reconcile is after the start too.
  await claimHost(second, 'later', 'later.example.test')
  await readinessIn(second, 'hosts', 'ingress', 'Conflict')
  expect(await ingressIn(second, 'hosts')).toBe(undefined)
  expect((await ingressIn(first, 'hosts'))?.metadata.uid).toBe(uid)
  await first.remove('environments', 'shop.hosts')
  await readinessIn(second, 'hosts', 'ingress', 'Reconciled')
})
