import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { provideBundles } from '../../dev/build.ts'
import { type Cluster, currentCluster } from '../../dev/cluster.ts'
import { type ControlPlane, startControlPlane } from '../../dev/control-plane/control-plane.ts'
import { eventually } from '../../dev/control-plane/kubernetes.ts'
import { makeOrganization } from '../../dev/organization.ts'
import {
  installInto,
  type RunningProcess,
  readAdminToken,
  startQuartermaster,
} from '../../dev/quartermaster.ts'

const readyWithinMs = 30_000
let directory = ''
let controlPlane: ControlPlane
let cluster: Cluster
let running: RunningProcess[] = []

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-current-'))
  controlPlane = await startControlPlane({ directory: join(directory, 'control-plane'), log: () => {} })
  cluster = await currentCluster({ ...process.env, KUBECONFIG: controlPlane.kubeconfigPath })
})
afterAll(async () => {
  await Promise.all(running.map((process) => process.stop()))
  cluster?.close()
  await controlPlane?.stop()
  await rm(directory, { recursive: true })
})

test('both processes run from the checkout in the cluster of the current context of kubectl', async () => {
  await Promise.all([provideBundles(directory), installInto(cluster)])
  const operator = await startQuartermaster(cluster, 'operator', { directory })
  running = [operator]
  const gateway = await startQuartermaster(cluster, 'gateway', { directory })
  running.push(gateway)
  await makeOrganization(cluster, 'acme')
  const headers = { authorization: `Bearer ${await readAdminToken(cluster)}` }
  const types = await eventually<{ id: string }[]>('access to the organization', readyWithinMs, async () => {
    const answer = await fetch(`${gateway.url}/orgs/acme/env-types`, { headers })
    if (!answer.ok) return undefined
    return JSON.parse(await answer.text())
  })
  expect(types.map(({ id }) => id).sort()).toEqual(['development', 'production', 'staging'])
})

test('without a current context, the error says what to set', async () => {
  const KUBECONFIG = join(directory, 'none')
  await expect(currentCluster({ ...process.env, KUBECONFIG })).rejects.toThrow('set KUBECONFIG')
})
