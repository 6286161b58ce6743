import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { setId } from '../../../operator/domain/delta/delta.ts'
import { ownManager } from '../server/write-rules.ts'
import { typesOf } from './definitions.ts'
import { applicationOf, image } from './names.ts'
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
      .map((id) => [id, { type: id === 'a' ? 's3' : user.pick(typesOf(user)) }]),
  )
  return { modules, shared }
}

function moduleBy(user: User): FreeForm {
  const tag = user.features.images && user.chance(0.7) ? `${image}:v${user.next('tag') % 3}` : 'nginx:1'
  const variables = user.chance(0.5) ? { V: '${values.color}' } : {}
  const containers = { main: { id: 'main', image: tag, variables } }
  const type = user.pick(typesOf(user))
  return {
    profile: 'quartermaster/default-module',
    spec: user.chance(0.6) ? { containers } : {},
    externals: user.chance(0.7) ? { db: { type } } : {},
  }
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
