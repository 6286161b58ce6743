import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { ArtefactVersion } from '../../../../operator/api/artefact-version.ts'
import { AutomationRule } from '../../../../operator/api/automation-rule.ts'
import { DeploymentDelta } from '../../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../../operator/api/deployment-set.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { WebhookCall } from '../../../../operator/api/webhook.ts'
import { criterionId } from '../../../../operator/domain/definition/criterion.ts'
import { artefactId } from '../../../../operator/domain/image/artefact.ts'
import type { RestCall } from '../../gateway/rest-client.ts'
import { contentBy } from '../contents.ts'
import { typesOf } from '../definitions.ts'
import { applicationOf, environmentType, guest, image, restEnvironments } from '../names.ts'
import type { User } from '../user.ts'
import { newWebhook } from './applications.ts'
import {
  aboutEnvironment,
  application,
  type Choice,
  placeOf,
  resourcePath,
  restApplications,
} from './choice.ts'
import { newDeployment } from './deployments.ts'

/** The ID of environments that begin with what another one has. */
const copy = 'copy'

/** A request about a delta that exists. */
function deltaCall(user: User, part: string, body: unknown): RestCall {
  const { metadata, spec } = user.pickObject(DeploymentDelta)
  const about = [application(spec.applicationName), { kind: 'DeploymentDelta', name: metadata.name }]
  return {
    method: 'PUT',
    path: `/apps/${spec.applicationName}/deltas/${metadata.name}${part}`,
    body,
    about,
  }
}

/** Requests that bring back what was there before, or copy it. */
const restoringCalls: readonly Choice[] = [
  {
    weight: 4,
    call(user) {
      const { metadata, spec } = user.pickObject(DeploymentSet)
      const owner = spec.applicationName
      const name = user.pick(restEnvironments.filter((each) => applicationOf(each) === owner))
      const body = { set_id: metadata.name.slice(owner.length + 1), comment: 'back' }
      return { method: 'POST', path: `${placeOf(name)}/deploys`, body, about: aboutEnvironment(name) }
    },
  },
  {
    weight: 4,
    call(user) {
      const { metadata, spec } = user.pickObject(EnvironmentDeployment)
      const owner = applicationOf(spec.environmentName)
      const id = user.pick(['prod', copy, copy])
      const body = { id, name: 'Copy', from_deploy_id: metadata.name }
      return { method: 'POST', path: `/apps/${owner}/envs`, body, about: [application(owner)] }
    },
  },
  { weight: 4, call: (user) => newDeployment(user, `${user.pick(restApplications)}.${copy}`) },
  {
    weight: 1,
    call: (user) => ({ method: 'DELETE', path: placeOf(`${user.pick(restApplications)}.${copy}`) }),
  },
  {
    weight: 2,
    call(user) {
      const resource = user.pickObject(ActiveResource)
      const about = [
        ...aboutEnvironment(resource.spec.environmentName),
        { kind: 'ActiveResource', name: resource.metadata.name },
      ]
      return { method: 'DELETE', path: `${resourcePath(resource)}?detach=true`, about }
    },
  },
]

/** Requests that change how the pods of an environment run. */
const runtimeCalls: readonly Choice[] = [
  {
    weight: 2,
    call(user) {
      const name = user.pick(restEnvironments)
      const body = { api: user.pick([0, 2, null]) }
      return { method: 'PATCH', path: `${placeOf(name)}/runtime/replicas`, body }
    },
  },
  {
    weight: 1,
    call: (user) => ({
      method: 'POST',
      path: `${placeOf(user.pick(restEnvironments))}/runtime/actions/restart`,
      body: user.chance(0.5) ? {} : { workloads: ['api'] },
    }),
  },
]

/** Requests about deltas, and what is computed from them. */
const deltaCalls: readonly Choice[] = [
  {
    weight: 2,
    call(user) {
      const { modules, shared } = contentBy(user)
      const operations = Object.entries(shared).map(([id, value]) => ({ op: 'add', path: `/${id}`, value }))
      return deltaCall(user, '', { modules: { add: modules }, shared: operations })
    },
  },
  { weight: 1, call: (user) => deltaCall(user, '/metadata/archived', user.chance(0.6)) },
  { weight: 1, call: (user) => deltaCall(user, '/metadata/env_id', user.pick(['dev', 'prod'])) },
  { weight: 1, call: (user) => deltaCall(user, '/name', `n${user.next('text')}`) },
  {
    weight: 2,
    call: (user) => ({
      method: 'POST',
      path: `${placeOf(user.pick(restEnvironments))}/resources/graphs`,
      body: [{ id: 'shared.a', type: user.pick(typesOf(user)), class: 'default', resource: {} }],
    }),
  },
]

/** Requests about values and roles. */
const valueCalls: readonly Choice[] = [
  {
    weight: 2,
    call(user) {
      const isSecret = user.chance(0.4)
      const value = isSecret ? user.newPassword('value') : `v${user.next('text')}`
      const body = { value, is_secret: isSecret, description: '' }
      const path = user.chance(0.5)
        ? `/apps/${user.pick(restApplications)}`
        : placeOf(user.pick(restEnvironments))
      return { method: 'PUT', path: `${path}/values/${user.pick(['A', 'B'])}`, body }
    },
  },
  {
    weight: 0.5,
    call: (user) => ({ method: 'DELETE', path: `${placeOf(user.pick(restEnvironments))}/values` }),
  },
  {
    weight: 2,
    call: (user) => ({
      method: 'PATCH',
      path: `/apps/${user.pick(restApplications)}/users/${guest}`,
      body: { role: user.pick(['viewer', 'developer', 'owner']) },
    }),
  },
  {
    weight: 1,
    call: (user) => ({
      method: user.pick(['PATCH', 'DELETE']),
      path: `/env-types/${user.pick(['trial', environmentType])}/users/${guest}`,
      body: { role: 'deployer' },
    }),
  },
]

/** Requests about images and the rules that deploy them. */
const imageCalls: readonly Choice[] = [
  {
    weight: 2,
    call(user) {
      const { metadata, spec } = user.pickObject(AutomationRule)
      const { applicationName, environmentId } = spec
      const path = `/apps/${applicationName}/envs/${environmentId}/rules/${metadata.name}`
      const about = [
        ...aboutEnvironment(`${applicationName}.${environmentId}`),
        { kind: 'AutomationRule', name: metadata.name },
      ]
      if (user.chance(0.3)) return { method: 'DELETE', path, about }
      const body = { type: 'update', active: user.chance(0.7), artefacts_filter: [image] }
      return { method: 'PUT', path, body, about }
    },
  },
  {
    weight: 2,
    call(user) {
      const { metadata, spec } = user.pickObject(ArtefactVersion)
      const path = `/artefacts/${artefactId(spec)}`
      if (user.chance(0.2)) return { method: 'DELETE', path }
      const body = { archived: user.chance(0.5) }
      return { method: 'PATCH', path: `${path}/versions/${metadata.name}`, body }
    },
  },
  {
    weight: 1,
    call: (user) => ({
      method: 'POST',
      path: `/images/${encodeURIComponent(image)}/builds`,
      body: { image: `${image}:b${user.next('build')}`, commit: 'c0ffee', branch: 'main' },
    }),
  },
]

/** Requests about webhooks and their calls. */
const webhookCalls: readonly Choice[] = [
  {
    weight: 2,
    call(user) {
      const { metadata, spec } = user.pickObject(WebhookCall)
      const owner = spec.webhookName.split('-').at(-1) ?? ''
      const path = `/apps/${owner}/webhooks/${spec.webhookName}/calls/${metadata.name}/redeliver`
      return { method: 'POST', path }
    },
  },
  { weight: 3, call: (user) => newWebhook(user.pick(restApplications)) },
  { weight: 0.4, call: (user) => ({ method: 'DELETE', path: `/apps/${user.pick(restApplications)}/jobs` }) },
]

const classesPath = (user: User) =>
  `/resources/types/${user.pick(['s3', encodeURIComponent(`${user.organization}/rest`)])}/classes`

/** Requests about definitions, types and drivers. */
const catalogueCalls: readonly Choice[] = [
  {
    weight: 1,
    call(user) {
      const isOfRest = ({ metadata }: ResourceDefinition) => metadata.name.startsWith('rest-')
      const { metadata, spec } = user.pickObject(ResourceDefinition, isOfRest)
      const [criterion = {}] = spec.criteria ?? []
      const path = `/resources/defs/${metadata.name}/criteria/${criterionId(criterion)}`
      return { method: 'DELETE', path: user.chance(0.5) ? path : `${path}?force=true` }
    },
  },
  {
    weight: 1,
    call: (user) => ({
      method: 'POST',
      path: classesPath(user),
      body: { id: user.pick(['small', 'large']), description: `d${user.next('text')}` },
    }),
  },
  {
    weight: 1,
    call(user) {
      const path = `${classesPath(user)}/${user.pick(['small', 'large'])}`
      if (user.chance(0.4)) return { method: 'DELETE', path }
      return { method: 'PATCH', path, body: { description: `d${user.next('text')}` } }
    },
  },
  {
    weight: 1,
    call(user) {
      const body = {
        type: 's3',
        target: `driver://${user.pick(['quartermaster/maker', `${user.organization}/rest`])}`,
        inputs_schema: {},
        account_types: [],
        template: { values: { version: user.next('version') } },
      }
      const path = '/resources/drivers'
      if (user.chance(0.5)) return { method: 'POST', path, body: { id: 'rest', ...body } }
      return { method: 'PUT', path: `${path}/rest`, body }
    },
  },
  { weight: 0.6, call: () => ({ method: 'DELETE', path: '/resources/drivers/rest' }) },
]

/** The requests of operations that the first ones leave out. */
export const otherCalls: readonly Choice[] = [
  ...restoringCalls,
  ...runtimeCalls,
  ...deltaCalls,
  ...valueCalls,
  ...imageCalls,
  ...webhookCalls,
  ...catalogueCalls,
].map((each) => ({ ...each, weight: 2 * each.weight }))
