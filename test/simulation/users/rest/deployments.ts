import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { DeploymentDelta } from '../../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../../operator/api/deployment-set.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import type { RestCall } from '../../gateway/rest-client.ts'
import { contentBy } from '../contents.ts'
import { applicationOf, idOf, image, restEnvironments } from '../names.ts'
import type { User } from '../user.ts'
import {
  aboutEnvironment,
  application,
  type Choice,
  placeOf,
  resourcePath,
  restApplications,
  senderTo,
} from './choice.ts'

/** Changes to a set, as a request has them. */
function changesBy(user: User) {
  const { modules, shared } = contentBy(user)
  const operations = Object.entries(shared).map(([id, value]) => ({ op: 'add', path: `/${id}`, value }))
  return { modules: { add: modules }, shared: operations }
}

/** A deployment: of changes, of a set or a delta that exist, or of what is deployed. */
export function newDeployment(user: User, name: string): RestCall {
  const mode = user.chance(0.2) ? { mode: 'full' } : {}
  const body = { ...contentOf(user, applicationOf(name)), ...mode }
  const about = aboutEnvironment(name)
  return { as: senderTo(user, name), method: 'POST', path: `${placeOf(name)}/deploys`, body, about }
}

function contentOf(user: User, owner: string) {
  const ofOwner = ({ spec }: { readonly spec: { readonly applicationName: string } }) =>
    spec.applicationName === owner
  const [delta] = user.all(DeploymentDelta).filter(ofOwner).slice(-1)
  const set = user.all(DeploymentSet).find(ofOwner)
  if (delta && user.chance(0.3)) return { delta_id: delta.metadata.name }
  if (set && user.chance(0.2)) return { set_id: set.metadata.name.slice(owner.length + 1) }
  return user.chance(0.8) ? { delta: changesBy(user) } : {}
}

/** A deployment of a delta with a key. */
export function pipelineRun(user: User, name: string, deltaId: string): RestCall {
  return {
    method: 'POST',
    path: `/apps/${applicationOf(name)}/pipeline-runs`,
    body: { env_id: idOf(name), delta_id: deltaId },
    key: `key-${user.next('key')}`,
    about: aboutEnvironment(name),
  }
}

export function newDelta(user: User, owner: string): RestCall {
  const about = [application(owner)]
  return { method: 'POST', path: `/apps/${owner}/deltas`, body: changesBy(user), about }
}

/** Requests about deployments and what is deployed. */
export const deploymentCalls: readonly Choice[] = [
  { weight: 8, call: (user) => newDeployment(user, user.pick(restEnvironments)) },
  { weight: 3, call: (user) => newDelta(user, user.pick(restApplications)) },
  {
    weight: 2,
    call(user) {
      const { metadata, spec } = user.pickObject(DeploymentDelta)
      const path = `/apps/${spec.applicationName}/deltas/${metadata.name}`
      const about = [application(spec.applicationName), { kind: 'DeploymentDelta', name: metadata.name }]
      return { method: 'PATCH', path, body: [changesBy(user)], about }
    },
  },
  {
    weight: 1,
    call(user) {
      const { metadata, spec } = user.pickObject(DeploymentSet)
      const owner = spec.applicationName
      const path = `/apps/${owner}/sets/${metadata.name.slice(owner.length + 1)}`
      return { method: 'POST', path, body: changesBy(user) }
    },
  },
  {
    weight: 2,
    call(user) {
      const name = user.pick(restEnvironments)
      const path = `${placeOf(name)}/runtime/paused`
      return { method: 'PUT', path, body: user.chance(0.4), about: aboutEnvironment(name) }
    },
  },
  {
    weight: 1,
    call(user) {
      const { metadata, spec } = user.pickObject(EnvironmentDeployment)
      const path = `${placeOf(spec.environmentName)}/from_deploy_id`
      return { method: 'PUT', path, body: metadata.name }
    },
  },
  {
    weight: 2,
    call(user) {
      const resource = user.pickObject(ActiveResource)
      const about = [
        ...aboutEnvironment(resource.spec.environmentName),
        { kind: 'ActiveResource', name: resource.metadata.name },
      ]
      return { method: 'DELETE', path: resourcePath(resource), about }
    },
  },
  {
    weight: 2,
    call(user) {
      const name = user.pick(restEnvironments)
      const body = { type: 'update', active: true, artefacts_filter: [image] }
      return { method: 'POST', path: `${placeOf(name)}/rules`, body, about: aboutEnvironment(name) }
    },
  },
  {
    weight: 2,
    call: (user) => ({
      method: 'POST',
      path: '/artefact-versions',
      body: { type: 'container', name: image, version: `r${user.next('registered')}` },
    }),
  },
]
