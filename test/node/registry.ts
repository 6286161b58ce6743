import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { apiCall, eventually } from '../../dev/control-plane/kubernetes.ts'
import { ensureDevelopmentAuthority } from '../../dev/development-authority.ts'
import { type FakeRegistry, startFakeRegistry } from '../../dev/fake-registry/registry.ts'
import { imageBlobs } from '../../dev/image/archive.ts'
import { sleepingImage } from '../../dev/node/images.ts'
import type { RunningNode } from '../../dev/node/node.ts'
import { trustRegistry } from '../../dev/node/registries.ts'
import type { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { leaksIn, plantCanaries } from '../cluster/security/canaries.ts'
import { conditionStatus, type Organization, readyOf } from '../cluster/support/client.ts'
import { allObjects, type FoundObject, secretTextsIn } from './all-objects.ts'

const withinMs = 120_000
const environment = '/apps/pulls/envs/live'
const passwords = plantCanaries(['first', 'second', 'wrong', 'tools', 'base'])
/** The users of the registry, by the project whose images they may pull. */
const users = { shop: 'shop-puller', tools: 'tools-puller', base: 'base-puller' } as const
type Project = keyof typeof users
const projects = Object.keys(users) as Project[] // of that object

/** The workloads, with the project of the image of each. */
const workloads = { web: 'shop', once: 'shop', tool: 'tools', down: 'base' } as const
type Workload = keyof typeof workloads
const names = Object.keys(workloads) as Workload[] // of that object

const uidsOf = ({ items }: { readonly items: readonly FoundObject[] }) =>
  items.map(({ metadata }) => metadata.uid)

/** Tests that run one after the other: pods of a node pull images from a private registry on this machine. */
export function testRegistry(
  get: () => {
    readonly organization: Organization
    readonly node: RunningNode
    /** Where everything of the node is. */
    readonly directory: string
    /** Of the operator and the gateway. */
    readonly logs: string
  },
) {
  let registry: FakeRegistry
  const rest = async (method: string, path: string, body?: unknown) => {
    const answer = await get().organization.rest(method, path, body)
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const namespace = () => `${get().organization.id}--pulls--live`
  const kube = <T = FoundObject>(path: string) => apiCall<T>(get().node.controlPlane, 'GET', path)
  const deployment = (name: string) => kube(`/apis/apps/v1/namespaces/${namespace()}/deployments/${name}`)
  const jobs = () => kube<{ items: FoundObject[] }>(`/apis/batch/v1/namespaces/${namespace()}/jobs`)
  const image = (workload: Workload, tag = 1) => `${registry.host}/${workloads[workload]}/${workload}:${tag}`
  const module = (workload: Workload, profile: string, more = {}) => ({
    profile: `quartermaster/${profile}`,
    spec: { containers: { main: { image: image(workload), ...more } } },
  })

  /** Why its image cannot be pulled. */
  const reasonOf = (workload: Workload) =>
    new RegExp(`"${image(workload)}".* ${workload === 'down' ? 503 : 401} `)

  async function deploy(modules: object): Promise<EnvironmentDeployment> {
    const delta = await rest('POST', '/apps/pulls/deltas', { metadata: { env_id: 'live' }, modules })
    const { id } = await rest('POST', `${environment}/deploys`, { delta_id: delta.id })
    return get().organization.ended(id, withinMs)
  }
  const resourceOf = async (workload: Workload) => {
    const resources = await get().organization.resources()
    return resources.find(
      ({ spec }) => spec.environmentName === 'pulls.live' && spec.resourceId === `modules.${workload}`,
    )
  }
  /** What the image pull Secret of a workload has. */
  async function pullSecretOf(workload: Workload): Promise<string> {
    const name = (await resourceOf(workload))?.metadata.name
    const [text = ''] = secretTextsIn(await kube(`/api/v1/namespaces/${namespace()}/secrets/${name}-pull`))
    return text
  }
  const setPassword = (project: Project, password: string) =>
    registry.setAccount({ username: users[project], password, repositories: `${project}/` })
  const credentials = (project: Project, password: string) => ({ username: users[project], password })
  const addRegistry = (project: Project, password: string) =>
    rest('POST', '/registries', {
      id: project,
      registry: `${registry.host}/${project}`,
      type: 'basic',
      creds: credentials(project, password),
    })
  /** The calls for images of a project. */
  const callsOf = (project: Project, from = 0) =>
    registry
      .calls()
      .slice(from)
      .filter(({ path }) => path.startsWith(`/v2/${project}/`))

  beforeAll(async () => {
    const { node, directory } = get()
    await ensureDevelopmentAuthority(directory)
    registry = await startFakeRegistry({ directory, address: node.network.hostAddress })
    await trustRegistry(directory, registry.host, `${directory}/ca.crt`)
    const base = await sleepingImage()
    for (const workload of names) {
      for (const tag of ['1', '2']) {
        const file = { path: `/${workload}-${tag}`, content: Buffer.from(tag) }
        const blobs = await imageBlobs({ ...base, layers: [...base.layers, [file]] })
        registry.push(`${workloads[workload]}/${workload}`, tag, blobs)
      }
    }
    setPassword('shop', passwords.first)
    setPassword('tools', passwords.tools)
    setPassword('base', passwords.base)
  })
  afterAll(() => registry?.close())

  describe('a private registry', () => {
    test('fails a deployment without credentials, with wrong ones, and while it is down: each reason names the image', async () => {
      const { organization } = get()
      await organization.application('pulls')
      await organization.environment('pulls', 'live')
      await addRegistry('tools', passwords.wrong)
      await addRegistry('base', passwords.base)
      registry.misbehave({ path: '/v2/base/', do: 'status', status: 503 })
      const failed = await deploy({
        add: {
          web: module('web', 'default-module'),
          once: module('once', 'default-job', { args: ['0'] }),
          tool: module('tool', 'default-module'),
          down: module('down', 'default-module'),
        },
      })
      expect(conditionStatus(failed, 'Stalled')).toBe('True')
      // The first workload that fails ends it.
      const [problem] = failed.status?.problems ?? []
      const first = names.find((name) => problem?.object === `workload.default#modules.${name}`)
      expect(problem).toMatchObject({
        reason: 'ImagePullBackOff',
        message: expect.stringMatching(reasonOf(first ?? 'web')),
      })
      await eventually('the reason of each workload', withinMs, async () => {
        for (const name of names) {
          const { reason, message } = readyOf(await resourceOf(name))
          expect([reason, message]).toEqual(['ImagePullBackOff', expect.stringMatching(reasonOf(name))])
        }
        return true
      })
      const refused = callsOf('shop')
      expect(refused).not.toEqual([])
      expect(refused.filter(({ status, credentials }) => status !== 401 || credentials)).toEqual([])
      expect(callsOf('tools').map(({ credentials }) => credentials?.password)).toContain(passwords.wrong)
    })

    test('lets the same pods and Jobs run, without a deployment, when it works and its credentials are right', async () => {
      const before = { jobs: uidsOf(await jobs()), tool: await deployment('tool') }
      registry.behave()
      await addRegistry('shop', passwords.first)
      await rest('PATCH', '/registries/tools', { creds: credentials('tools', passwords.tools) })
      await eventually('all workloads', withinMs, async () => {
        const resources = await Promise.all(names.map(resourceOf))
        const states = resources.map((each) => conditionStatus(each, 'Ready'))
        if (states.some((state) => state !== 'True')) throw new Error(states.join())
        return true
      })
      const after = { jobs: uidsOf(await jobs()), tool: await deployment('tool') }
      expect(before.jobs).toHaveLength(1)
      expect(after.jobs).toEqual(before.jobs)
      expect(after.tool.metadata.generation).toBe(before.tool.metadata.generation)
    })

    test.each(names)('is asked with the credentials for the image of `%s` alone', async (workload) => {
      const project = workloads[workload]
      const sent = callsOf(project).filter(({ status }) => status === 200)
      expect(sent.map(({ path }) => path)).toContain(`/v2/${project}/${workload}/manifests/1`)
      expect(new Set(sent.map(({ credentials }) => credentials?.username))).toEqual(new Set([users[project]]))
      const { auths } = JSON.parse(await pullSecretOf(workload))
      expect(Object.keys(auths)).toEqual([`${registry.host}/${project}`])
    })

    test('is asked with a rotated password for the next image, and the pods that run are kept', async () => {
      const before = await deployment('web')
      setPassword('shop', passwords.second)
      const from = registry.calls().length
      await rest('PATCH', '/registries/shop', { creds: credentials('shop', passwords.second) })
      await eventually('the rotated password', withinMs, async () => {
        const { auths } = JSON.parse(await pullSecretOf('web'))
        return auths[`${registry.host}/shop`].password === passwords.second || undefined
      })
      const renewed = await deploy({ update: {} })
      expect(conditionStatus(renewed, 'Ready')).toBe('True')
      expect((await deployment('web')).metadata.generation).toBe(before.metadata.generation)
      const path = '/spec/containers/main/image'
      const next = await deploy({ update: { web: [{ op: 'replace', path, value: image('web', 2) }] } })
      expect([next.status?.problems ?? [], conditionStatus(next, 'Ready')]).toEqual([[], 'True'])
      const calls = callsOf('shop', from)
      expect(calls.filter(({ status }) => status === 200).map((each) => each.path)).toContain(
        '/v2/shop/web/manifests/2',
      )
      expect(calls.map(({ credentials }) => credentials?.password)).not.toContain(passwords.first)
    })

    test('has its passwords in Secrets alone, and former ones nowhere', async () => {
      const { node, organization, logs } = get()
      const found: string[] = []
      const holders = new Set<string>()
      for (const { plural, objects } of await allObjects(node.controlPlane)) {
        if (plural !== 'secrets') {
          found.push(...leaksIn(plural, JSON.stringify(objects), passwords))
          continue
        }
        for (const secret of objects) {
          const text = secretTextsIn(secret).join('\n')
          for (const name of leaksIn('', text, passwords)) holders.add(name.slice(2).split(' ')[0] ?? '')
        }
      }
      expect(logs).toContain('pulls')
      found.push(...leaksIn('logs', logs, passwords))
      const paths = projects.flatMap((each) => [`/registries/${each}`, `/registries/${each}/creds`])
      for (const path of [...paths, '/registries', `${environment}/resources`, `${environment}/runtime`])
        found.push(...leaksIn(path, JSON.stringify((await organization.rest('GET', path)).body), passwords))
      expect(found).toEqual([])
      expect([...holders].sort()).toEqual(['base', 'second', 'tools'])
    })
  })
}
