import { randomBytes } from 'node:crypto'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { StoredObject } from '../../../operator/api/kind.ts'
import type { Random } from '../../support/random.ts'
import { pathIn } from '../histories/doors.ts'
import type { Installation } from '../histories/installation.ts'
import { eventually, makeTestOrganization, moduleWith, type Organization } from '../support/client.ts'
import type { Kill } from './cookie-book.ts'
import { type OutsideWorld, startOutsideWorld, type World } from './outside-world.ts'

export const environments = ['dev', 'prod'] as const
export type EnvironmentName = (typeof environments)[number]
export type Door = 'REST' | 'kubectl'
export const doors: readonly [Door, Door] = ['REST', 'kubectl']

/** The drivers by name, and the world that each reaches. */
const worldOfDriver: Readonly<Record<string, World>> = {
  north: 'north',
  'north-again': 'north',
  // A template over `north`.
  wrapped: 'north',
  south: 'south',
  secure: 'secure',
}
export const driverNames = Object.keys(worldOfDriver) as [string, ...string[]] // it has some
export const definitions = ['plain', 'large'] as const
const accounts = ['one', 'two'] as const
const endsWithinMs = 120_000

/** An organization whose resources are all outside, and the requests of its people. */
export interface Subject {
  readonly installation: Installation
  readonly organization: Organization
  readonly outside: OutsideWorld
  readonly random: Random
  readonly canary: string
  /** Writes a new revision of a definition, with any driver. */
  define(name: (typeof definitions)[number]): Promise<void>
  /** Registers all drivers. */
  register(): Promise<void>
  /** Moves the server of `south` to another address. */
  moveSouth(): Promise<void>
  rotateToken(): Promise<unknown>
  /** Starts a deployment of any content; answers its name, or undefined if it is refused. */
  deploy(environment: EnvironmentName, door: Door, mode?: 'full'): Promise<string | undefined>
  /** Makes the application and the environments, once earlier ones have ended. */
  makeAll(): Promise<void>
  removeApplication(door: Door): Promise<void>
  removeEnvironment(environment: EnvironmentName, door: Door): Promise<void>
  removeResource(resource: ActiveResource, door: Door): Promise<void>
  endOperator(isOrderly: boolean): Promise<void>
  /** The world that has a resource, as its status says. */
  worldOf(resource: ActiveResource): World
}

export async function makeSubject(
  installation: Installation,
  random: Random,
  kills: Kill[],
): Promise<Subject> {
  const organization = await makeTestOrganization(installation.cluster, 'outside')
  const canary = `cny-${randomBytes(6).toString('hex')}`
  const { id } = organization
  const { directory } = installation.cluster
  const endOperator = async (isOrderly: boolean) => {
    const kill: Kill = { from: Date.now(), to: Number.POSITIVE_INFINITY }
    kills.push(kill)
    await installation.endOperator(isOrderly)
    kill.to = Date.now()
  }
  const outside = await startOutsideWorld({
    directory,
    random,
    canary,
    kills,
    kill: () => endOperator(false),
  })
  let revision = 0
  let deployments = 0
  let south: 'south' | 'moved south' = 'south'

  const apply = (path: string, body: object) =>
    organization.kube('PATCH', `${path}?fieldManager=test&force=true`, body, 'application/apply-patch+yaml')
  const setSecret = (name: string, stringData: object) =>
    apply(`/api/v1/namespaces/${id}/secrets/${name}`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      stringData,
    })

  function content() {
    const need = (name: string, chance: number, resourceClass: string) =>
      random.chance(chance)
        ? { [name]: { type: 's3', class: resourceClass, params: { size: random.below(4) } } }
        : {}
    const externals = ['a', 'b', 'c', 'd'].map((each) =>
      need(each, 0.7, random.pick(['default', 'default', 'large'])),
    )
    return {
      modules: { web: moduleWith(Object.assign({}, ...externals)) },
      shared: need('pool', 0.7, 'large'),
    }
  }

  async function deployOverRest(environment: EnvironmentName, mode: 'full' | undefined) {
    const { modules, shared } = content()
    const delta = await organization.rest('POST', '/apps/shop/deltas', {
      modules: { add: modules },
      shared: Object.entries(shared).map(([name, value]) => ({ op: 'add', path: `/${name}`, value })),
    })
    if (delta.status >= 300) return undefined
    const path = `/apps/shop/envs/${environment}/deploys`
    const { status, body } = await organization.rest('POST', path, { delta_id: delta.body.id, mode })
    return status < 300 ? body.id : undefined
  }

  async function deployByKubectl(environment: EnvironmentName, mode: 'full' | undefined) {
    deployments += 1
    const setName = `shop.set-${deployments}`
    await organization.apply('deploymentsets', 'DeploymentSet', setName, {
      applicationName: 'shop',
      ...content(),
    })
    const name = `shop.${environment}.by-kubectl-${deployments}`
    const { status } = await apply(pathIn(organization, 'environmentdeployments', name), {
      apiVersion: 'quartermaster.dev/v1alpha1',
      kind: 'EnvironmentDeployment',
      metadata: { name },
      spec: { environmentName: `shop.${environment}`, setName, mode },
    })
    return status < 300 ? name : undefined
  }

  async function askForEnd(environment: EnvironmentName): Promise<void> {
    outside.askForEnd(environment)
    for (const { metadata, spec } of await organization.resources())
      if (spec.environmentName === `shop.${environment}`) outside.askForEnd(metadata.name)
  }

  async function makeOnce(plural: string, kind: string, name: string, spec: object): Promise<void> {
    await eventually(`'${name}'`, endsWithinMs, async () => {
      const found = await organization.get<StoredObject>(plural, name)
      if (found?.metadata.deletionTimestamp) throw new Error(JSON.stringify(found))
      if (!found) await organization.apply(plural, kind, name, spec)
      return true
    })
  }

  async function remove(door: Door, plural: string, name: string, path: string): Promise<void> {
    const { status } = await (door === 'REST'
      ? organization.rest('DELETE', path)
      : organization.kube('DELETE', pathIn(organization, plural, name)))
    outside.note(`the deletion of '${name}' over ${door} is answered ${status}`)
  }

  const subject: Subject = {
    installation,
    organization,
    outside,
    random,
    canary,
    async define(name) {
      revision += 1
      const driver = random.pick(driverNames)
      const refersToPool = name === 'plain' && random.chance(0.5)
      outside.note(`revision ${revision}, of '${name}', has the driver '${driver}'`)
      await organization.define(name, {
        type: 's3',
        driverType: `${id}/${driver}`,
        ...(driver !== 'wrapped' && random.chance(0.5) ? { accountName: random.pick(accounts) } : {}),
        driverInputs: {
          values: {
            revision,
            environment: '${context.env.id}',
            ...(refersToPool ? { pool: "${resources['s3.large#shared.pool'].outputs.bucket}" } : {}),
          },
          secretRefs: { token: { secret: 'token', key: 'token' } },
        },
        criteria: [{ class: name === 'plain' ? 'default' : 'large' }],
      })
    },
    async register() {
      const register = (name: string, target: string, more: object = { accountTypes: ['aws', 'none'] }) =>
        organization.apply('resourcedrivers', 'ResourceDriver', name, { type: 's3', target, ...more })
      await register('north', outside.targets.north)
      await register('north-again', `${outside.targets.north}/`)
      await register('south', outside.targets[south])
      await register('secure', outside.targets.secure)
      const template = '{{ dict "values" .driver.values "secrets" .driver.secrets | toYaml }}'
      await register('wrapped', `driver://${id}/north`, { template })
    },
    async moveSouth() {
      south = south === 'south' ? 'moved south' : 'south'
      await subject.register()
    },
    rotateToken: () => setSecret('token', { token: `${canary}-token-${random.below(1000)}` }),
    deploy: (environment, door, mode) =>
      door === 'REST' ? deployOverRest(environment, mode) : deployByKubectl(environment, mode),
    async makeAll() {
      await makeOnce('applications', 'Application', 'shop', {})
      for (const each of environments)
        await makeOnce('environments', 'Environment', `shop.${each}`, {
          applicationName: 'shop',
          typeName: 'development',
        })
    },
    async removeApplication(door) {
      for (const each of environments) await askForEnd(each)
      return remove(door, 'applications', 'shop', '/apps/shop')
    },
    async removeEnvironment(environment, door) {
      await askForEnd(environment)
      return remove(door, 'environments', `shop.${environment}`, `/apps/shop/envs/${environment}`)
    },
    removeResource({ metadata, spec }, door) {
      outside.askForEnd(metadata.name)
      const environment = spec.environmentName.replace('shop.', '')
      const type = spec.class === 'default' ? spec.type : `${spec.type}.${spec.class}`
      const path = `/apps/shop/envs/${environment}/resources/${type}/${spec.resourceId}`
      return remove(door, 'activeresources', metadata.name, path)
    },
    endOperator,
    worldOf: ({ status }) => worldOfDriver[status?.provisioned?.driverType.split('/')[1] ?? ''] ?? 'north',
  }
  await subject.register()
  await subject.rotateToken()
  for (const each of accounts) {
    await setSecret(each, { key: `${canary}-account-${each}` })
    const spec = { type: 'aws', credentialsSecretName: each }
    await organization.apply('resourceaccounts', 'ResourceAccount', each, spec)
  }
  for (const each of definitions) await subject.define(each)
  await subject.makeAll()
  for (const each of environments) await subject.deploy(each, 'kubectl')
  return subject
}
