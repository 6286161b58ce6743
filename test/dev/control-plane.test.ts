import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ControlPlane } from '../../dev/control-plane/control-plane.ts'
import {
  findControlPlane,
  startControlPlane,
  stopControlPlane,
} from '../../dev/control-plane/control-plane.ts'
import { apiCall, apiRequest, applyManifests, eventually } from '../../dev/control-plane/kubernetes.ts'
import { hasEnded } from '../../dev/control-plane/processes.ts'
import type { ControlPlaneOptions } from '../../dev/control-plane/starting.ts'

const run = promisify(execFile)
// The first start on a machine builds the programs.
const startsWithin = 900_000
const namespaces = '/api/v1/namespaces'

let scratch = ''
let first: ControlPlane
let second: ControlPlane

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'control-plane-'))
  ;[first, second] = await Promise.all([start('first', { auditLog: true }), start('second')])
}, startsWithin)

afterAll(async () => {
  await Promise.all([first, second].map((each) => each?.stop()))
  await stopControlPlane({ directory: join(scratch, 'other') })
  await rm(scratch, { recursive: true, force: true })
})

function start(name: string, options: Partial<ControlPlaneOptions> = {}): Promise<ControlPlane> {
  return startControlPlane({ directory: join(scratch, name), log: () => {}, ...options })
}

async function createNamespace(controlPlane: ControlPlane, name: string): Promise<void> {
  await apiCall(controlPlane, 'POST', namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
}

async function statusOf(controlPlane: ControlPlane, path: string): Promise<number> {
  const { status } = await apiRequest(controlPlane, 'GET', path)
  return status
}

async function processesIn(name: string): Promise<string[]> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'command='])
  return stdout.split('\n').filter((line) => line.includes(join(scratch, name, '/')))
}

function killAll({ pids }: ControlPlane): void {
  for (const pid of Object.values(pids)) process.kill(pid, 'SIGKILL')
}

async function endOf({ pids }: ControlPlane): Promise<void> {
  await eventually('all processes have ended', 30_000, async () => {
    const ended = await Promise.all(Object.values(pids).map(hasEnded))
    return ended.every(Boolean) || undefined
  })
}

test('two control planes run side by side and know nothing of each other', async () => {
  await createNamespace(first, 'only-in-first')
  expect(await statusOf(first, `${namespaces}/only-in-first`)).toBe(200)
  expect(await statusOf(second, `${namespaces}/only-in-first`)).toBe(404)
})

test('a directory in use is refused', async () => {
  await expect(start('first')).rejects.toThrow('in use')
})

test('a deleted namespace disappears with its content', async () => {
  await createNamespace(first, 'short-lived')
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'inside' }, data: {} }
  await apiCall(first, 'POST', `${namespaces}/short-lived/configmaps`, map)
  await apiCall(first, 'DELETE', `${namespaces}/short-lived`)
  await eventually('the namespace is gone', 30_000, async () => {
    return (await statusOf(first, `${namespaces}/short-lived`)) === 404 || undefined
  })
})

test('a token has the identity and rights of its ServiceAccount, and is named in the audit log', async () => {
  const token = await first.tokenFor('default', 'default')
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const { status } = await apiCall<{ status: { userInfo: { username: string } } }>(
    { ...first, adminToken: token },
    'POST',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    review,
  )
  expect(status.userInfo.username).toBe('system:serviceaccount:default:default')
  expect((await apiRequest({ ...first, adminToken: token }, 'GET', '/api/v1/secrets')).status).toBe(403)

  const audited = await eventually('the audit log has the refusal', 30_000, async () => {
    const lines = (await readFile(first.auditLogPath ?? '', 'utf8')).split('\n').filter(Boolean)
    const events = lines.map((line) => JSON.parse(line))
    return events.find(
      ({ user, requestURI }) =>
        user.username === status.userInfo.username && requestURI === '/api/v1/secrets',
    )
  })
  expect(audited).toMatchObject({
    level: 'Metadata',
    stage: 'ResponseComplete',
    responseStatus: { code: 403 },
  })
})

test('kubectl works with a kubeconfig made for a token', async () => {
  const kubeconfig = join(scratch, 'kubeconfig')
  await writeFile(kubeconfig, first.kubeconfigFor(first.adminToken))
  const { stdout } = await run(first.binaries.kubectl, [
    '--kubeconfig',
    kubeconfig,
    'get',
    'namespace',
    'default',
    '-o',
    'name',
  ])
  expect(stdout.trim()).toBe('namespace/default')
})

test('manifests are applied in an order in which they work, however they are written', async () => {
  const file = join(scratch, 'manifests.yaml')
  await writeFile(
    file,
    `
apiVersion: example.test/v1
kind: Toy
metadata: { name: ball, namespace: toys }
spec: { size: 1 }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: small-toys }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [example.test], apiVersions: [v1], operations: [CREATE], resources: [toys] }]
  validations: [{ expression: object.spec.size < 5 }]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: small-toys }
spec: { policyName: small-toys, validationActions: [Deny] }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: toys.example.test }
spec:
  group: example.test
  scope: Namespaced
  names: { kind: Toy, plural: toys, singular: toy }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: v1
kind: Namespace
metadata: { name: toys }
`,
  )
  await applyManifests(second, [file])
  const toys = '/apis/example.test/v1/namespaces/toys/toys'
  expect(await statusOf(second, `${toys}/ball`)).toBe(200)

  const big = { apiVersion: 'example.test/v1', kind: 'Toy', metadata: { name: 'house' }, spec: { size: 9 } }
  await eventually('the policy refuses', 30_000, async () => {
    return (await apiRequest(second, 'POST', `${toys}?dryRun=All`, big)).status === 422 || undefined
  })
})

test('a restarted API server keeps objects, also when its port is taken for a moment', async () => {
  await createNamespace(second, 'kept')
  const before = second.pids['kube-apiserver']
  await second.restartApiServer()
  expect(second.pids['kube-apiserver']).not.toBe(before)
  expect(await statusOf(second, `${namespaces}/kept`)).toBe(200)

  await second.killApiServer()
  const squatter = createServer()
  const { port } = new URL(second.url)
  await eventually(
    'the port is free',
    30_000,
    () =>
      new Promise<true>((resolve, reject) => {
        squatter.once('error', reject).listen(Number(port), '127.0.0.1', () => resolve(true))
      }),
  )
  setTimeout(() => squatter.close(), 1_500)
  await second.startApiServer()
  expect(await statusOf(second, `${namespaces}/kept`)).toBe(200)
})

test('a paused API server answers when it is resumed', async () => {
  await second.pauseApiServer()
  const answer = statusOf(second, '/readyz')
  const early = await Promise.race([
    answer,
    new Promise((resolve) => {
      setTimeout(() => resolve('nothing'), 300)
    }),
  ])
  expect(early).toBe('nothing')
  await second.resumeApiServer()
  expect(await answer).toBe(200)
})

test('after a compaction old history is unavailable', async () => {
  const { metadata } = await apiCall<{ metadata: { resourceVersion: string } }>(second, 'GET', namespaces)
  await createNamespace(second, 'newer')
  await second.compactEtcd()
  await second.restartApiServer()
  const path = `${namespaces}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact&limit=1`
  expect(await statusOf(second, path)).toBe(410)
})

test('stop leaves no process, and a crash of all nothing that blocks the next start', async () => {
  const crashed = await start('other')
  killAll(crashed)
  const next = await start('other')
  expect(await statusOf(next, `${namespaces}/default`)).toBe(200)
  await next.pauseApiServer()
  await next.stop()
  await eventually(
    'no process is left',
    30_000,
    async () => (await processesIn('other')).length === 0 || undefined,
  )
})

test('a detached one is found again with its data, and stopped by its directory', async () => {
  const started = await start('other', { detached: true, keepData: true })
  await createNamespace(started, 'kept')
  const found = await start('other', { detached: true, keepData: true })
  expect(found.pids).toEqual(started.pids)

  killAll(started)
  await endOf(started)
  expect(await findControlPlane({ directory: join(scratch, 'other') })).toBeUndefined()
  const next = await start('other', { detached: true, keepData: true })
  expect(await statusOf(next, `${namespaces}/kept`)).toBe(200)
  expect(next.adminToken).toBe(started.adminToken)

  await stopControlPlane({ directory: join(scratch, 'other') })
  expect(await processesIn('other')).toEqual([])
})

test.each(['process.exit(0)', 'process.kill(process.pid, "SIGKILL")'])(
  'nothing outlives a starter that does %s',
  async (end) => {
    const directory = join(scratch, 'other')
    const code = new URL('../../dev/control-plane/control-plane.ts', import.meta.url)
    const script = join(scratch, 'starter.ts')
    await writeFile(
      script,
      `
    import { startControlPlane } from ${JSON.stringify(code.href)}
    await startControlPlane({ directory: ${JSON.stringify(directory)} })
    ${end}
  `,
    )
    await run(process.execPath, [script]).catch(() => {})
    expect(await readFile(join(directory, 'kube-controller-manager.pid'), 'utf8')).toMatch(/^\d+/)
    await eventually(
      'no process is left',
      30_000,
      async () => (await processesIn('other')).length === 0 || undefined,
    )
  },
)
