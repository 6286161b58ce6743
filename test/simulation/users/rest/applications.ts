import type { RestCall, Subject } from '../../gateway/rest-client.ts'
import {
  applicationOf,
  environmentType,
  guest,
  idOf,
  restApplication,
  restEnvironments,
  webhookHeader,
} from '../names.ts'
import type { User } from '../user.ts'
import {
  aboutEnvironment,
  application,
  type Choice,
  change,
  creation,
  newText,
  placeOf,
  restApplications,
  senderTo,
} from './choice.ts'

/** The creation of an application, perhaps with its environment. */
export function newApplication(user: User, id: string): RestCall {
  const env = { id: 'dev', name: 'Dev', type: environmentType }
  const more = user.chance(0.7) ? { env } : { skip_environment_creation: true }
  const shown = { path: `/apps/${id}`, fields: ['id', 'name'] }
  return { as: senderTo(user, id), ...creation('/apps', { id, name: newText(user), ...more }, shown) }
}

export function newEnvironment(user: User, name: string): RestCall {
  const body = { id: idOf(name), name: newText(user), type: environmentType }
  const path = `/apps/${applicationOf(name)}/envs`
  const shown = { path: placeOf(name), fields: ['id', 'name', 'type'] }
  const about = [application(applicationOf(name))]
  return { as: senderTo(user, name), ...creation(path, body, shown, about) }
}

interface Place {
  readonly path: string
  readonly about: readonly Subject[]
}

/** Where values are: an application or an environment. */
function valuesPlace(user: User): Place {
  const name = user.pick([...restApplications, ...restEnvironments])
  return name.includes('.')
    ? { path: placeOf(name), about: aboutEnvironment(name) }
    : { path: `/apps/${name}`, about: [application(name)] }
}

/** A new value, perhaps a secret. */
export function newValue(user: User, { path, about }: Place = valuesPlace(user)): RestCall {
  const isSecret = user.chance(0.5)
  const value = isSecret ? user.newPassword('value') : newText(user)
  const body = { key: user.pick(['A', 'B']), value, is_secret: isSecret, description: '' }
  return { method: 'POST', path: `${path}/values`, body, about }
}

export function newWebhook(name: string): RestCall {
  const id = `rest-${name}`
  const payload = Object.fromEntries(
    ['event', 'org_id', 'deploy_id', 'status', 'triggered_at'].map((each) => [each, `\${${each}}`]),
  )
  const path = `/apps/${name}/webhooks`
  const body = { id, url: 'hooks.example.com/y', headers: { [webhookHeader]: id }, payload }
  return creation(path, body, { path: `${path}/${id}`, fields: ['id', 'payload'] }, [application(name)])
}

export function newRole(user: User, name: string): RestCall {
  const path = `/apps/${name}/users`
  const body = { id: guest, role: user.pick(['viewer', 'developer', 'owner']) }
  return creation(path, body, { path: `${path}/${guest}`, fields: ['role'] }, [application(name)])
}

const pickApplication = (user: User) => user.pick(restApplications)
const restType = 'trial'
const restTypePath = `/env-types/${restType}`
const aboutType: readonly Subject[] = [{ kind: 'EnvironmentType', name: restType }]

/** Requests about applications and what is in them. */
export const applicationCalls: readonly Choice[] = [
  {
    weight: 5,
    call: (user) => newApplication(user, user.pick([restApplication, ...restApplications])),
  },
  { weight: 3, call: (user) => newEnvironment(user, user.pick(restEnvironments)) },
  { weight: 6, call: (user) => newValue(user) },
  { weight: 2, call: (user) => newWebhook(pickApplication(user)) },
  { weight: 3, call: (user) => newRole(user, pickApplication(user)) },
  {
    weight: 4,
    call(user) {
      const value = user.newPassword('value')
      const body = user.chance(0.5) ? { value, is_secret: true } : { value: newText(user) }
      return { method: 'PATCH', path: `${valuesPlace(user).path}/values/${user.pick(['A', 'B'])}`, body }
    },
  },
  {
    weight: 3,
    call: (user) => ({
      method: 'DELETE',
      path: `${valuesPlace(user).path}/values/${user.pick(['A', 'B'])}`,
    }),
  },
  {
    weight: 2,
    call(user) {
      const name = pickApplication(user)
      const path = `/apps/${name}/webhooks/rest-${name}`
      const about = [application(name), { kind: 'Webhook', name: `rest-${name}` }]
      if (user.chance(0.3)) return { method: 'DELETE', path, about }
      if (user.chance(0.5)) return { method: 'POST', path: `${path}/actions/rotate-secret`, about }
      return change(path, { disabled: user.chance(0.5) }, ['disabled'], about)
    },
  },
  {
    weight: 1,
    call: (user) => ({ method: 'DELETE', path: `/apps/${pickApplication(user)}/users/${guest}` }),
  },
  {
    weight: 2,
    call(user) {
      const name = user.pick([...restApplications, ...restEnvironments])
      const [path, about] = name.includes('.')
        ? [placeOf(name), aboutEnvironment(name)]
        : [`/apps/${name}`, [application(name)]]
      return change(path, { name: newText(user) }, ['name'], about)
    },
  },
  {
    weight: 2,
    call: (user) => ({ method: 'DELETE', path: placeOf(user.pick(restEnvironments)) }),
  },
  {
    weight: 2,
    call(user) {
      const body = { id: restType, description: newText(user) }
      return creation('/env-types', body, { path: restTypePath, fields: ['id', 'description'] })
    },
  },
  {
    weight: 1,
    call: (user) => change(restTypePath, { description: newText(user) }, ['description'], aboutType),
  },
  { weight: 1, call: () => ({ method: 'DELETE', path: restTypePath, about: aboutType }) },
  {
    weight: 1,
    call: (user) => ({
      method: 'POST',
      path: `${restTypePath}/users`,
      body: { id: user.pick([guest]), role: 'deployer' },
      about: aboutType,
    }),
  },
]
