import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { setId } from '../../../operator/domain/delta/delta.ts'
import { ownManager } from '../server/write-rules.ts'
import { typesOf } from './definitions.ts'
import { applicationOf, bucketVariable, image, otherClass } from './names.ts'
import type { User } from './user.ts'

/** The content of a deployment set. */
export interface Content {
  readonly modules: Readonly<Record<string, FreeForm>>
  readonly shared: Readonly<Record<string, FreeForm>>
}

export function contentBy(user: User): Content {
  const modules = Object.fromEntries(
    ['api', 'job'].filter(() => user.chance(0.5)).map((id) => [id, moduleBy(user)]),
  )
  const shared = Object.fromEntries(
    ['a', 'b', 'c']
      .filter(() => user.chance(0.6))
      .map((id) => [id, dependencyBy(user, id === 'a' ? 's3' : user.pick(typesOf(user)))]),
  )
  return { modules, shared }
}

/** A dependency of a type, of any class if a run has several. */
function dependencyBy(user: User, type: string): FreeForm {
  if (!user.features.classes || user.chance(0.6)) return { type }
  return user.pick([{ type, class: otherClass }, { type: `${type}.${otherClass}` }])
}

function moduleBy(user: User): FreeForm {
  const tag = user.features.images && user.chance(0.7) ? `${image}:v${user.next('tag') % 3}` : 'nginx:1'
  const variables = user.chance(0.5) ? { V: '${values.color}' } : {}
  const containers = { main: { id: 'main', image: tag, variables } }
  const type = user.pick(typesOf(user))
  const module = {
    profile: 'quartermaster/default-module',
    spec: user.chance(0.6) ? { containers } : {},
    externals: user.chance(0.7) ? { db: dependencyBy(user, type) } : {},
  }
  return user.features.pods ? runBy(user, module) : module
}

const schedules = { night: { schedule: '0 4 * * *' }, day: { schedule: '0 16 * * *' } }
const profiles = ['default-module', 'default-module', 'default-stateful', 'default-job', 'default-cronjob']

/** A module whose pods another kind of workload runs, with a variable that is an output of what it depends on. */
function runBy(user: User, { spec, externals }: { readonly spec: FreeForm; readonly externals: FreeForm }) {
  const profile = user.pick(profiles)
  const { containers } = spec as { readonly containers?: { readonly main: FreeForm } } // of a module of ours
  const { db } = externals as { readonly db?: { readonly type: string } } // as above
  const changes: FreeForm = containers && profile === 'default-cronjob' ? { schedules } : {}
  if (containers && db?.type.startsWith('s3') && user.chance(0.7)) {
    const { main } = containers
    const variables = { ...(main['variables'] as FreeForm), [bucketVariable]: '${externals.db.bucket}' }
    Object.assign(changes, { containers: { main: { ...main, variables } } })
  }
  return { profile: `quartermaster/${profile}`, spec: { ...spec, ...changes }, externals }
}

/** Deploys a content, as the gateway or as kubectl does; answers the name of the deployment. */
export function deploy(user: User, environment: string, content: Content, more: FreeForm = {}): string {
  const application = applicationOf(environment)
  const setName = `${application}.${setId(content)}`
  const isOverRest = user.chance(0.5)
  const managed = isOverRest && user.features.settings ? { managedFields: ownManager } : {}
  if (!user.exists('DeploymentSet', setName))
    user.create('DeploymentSet', setName, { applicationName: application, ...content }, managed)
  else if (managed.managedFields)
    user.patch('DeploymentSet', setName, {
      metadata: { annotations: { [annotations.lastUsedAt]: new Date().toISOString() } },
    })
  const name = isOverRest ? nextName(user, environment) : `${environment}.k${user.next('deployment')}`
  const mode = user.chance(0.2) ? { mode: 'full' } : {}
  const marks = { [annotations.createdBy]: 'u', [annotations.triggeredBy]: 'u' }
  user.create(
    'EnvironmentDeployment',
    name,
    { environmentName: environment, setName, ...mode, ...more },
    isOverRest ? { annotations: marks } : {},
  )
  return name
}

/** The name that the gateway gives to the next deployment. */
export function nextName(user: User, environment: string): string {
  const start = `${environment}.`
  const numbers = user
    .all(EnvironmentDeployment)
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith(start))
    .map((name) => Number(name.slice(start.length)))
    .filter(Number.isInteger)
  const last = user.find(Environment, environment)?.status?.lastDeploymentNumber ?? 0
  return `${start}${Math.max(last, 0, ...numbers) + 1}`
}
