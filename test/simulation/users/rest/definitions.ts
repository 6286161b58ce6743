import type { RestCall, Subject } from '../../gateway/rest-client.ts'
import { definitionOf, typesOf } from '../definitions.ts'
import { restApplication } from '../names.ts'
import type { User } from '../user.ts'
import { type Choice, change, creation, newText, restApplications } from './choice.ts'

/** A definition over REST of some type, which exists or not. */
function definitionBy(user: User) {
  const type = user.pick(typesOf(user).filter((each) => !each.includes('/')))
  const id = `rest-${type}`
  const about: readonly Subject[] = [{ kind: 'ResourceDefinition', name: id }]
  return { id, type, path: `/resources/defs/${id}`, about }
}

const secretsBy = (user: User) =>
  user.chance(0.5) ? { secrets: { pw: user.newPassword('definition') } } : {}

function newDefinition(user: User): RestCall {
  const { id, type, path } = definitionBy(user)
  const { driverType, driverInputs } = definitionOf(user, type, true) as {
    readonly driverType: string
    readonly driverInputs: { readonly values: object }
  }
  const body = {
    id,
    name: newText(user),
    type,
    driver_type: driverType,
    driver_inputs: { values: driverInputs.values, ...secretsBy(user) },
    criteria: [{ app_id: restApplication }],
  }
  return creation('/resources/defs', body, { path, fields: ['id', 'name', 'type'] })
}

function changedDefinition(user: User): RestCall {
  const { path, about } = definitionBy(user)
  return change(path, { name: newText(user), driver_inputs: secretsBy(user) }, ['name'], about)
}

const accounts = '/resources/accounts'
const accountPath = `${accounts}/rest`
const aboutAccount: readonly Subject[] = [{ kind: 'ResourceAccount', name: 'rest' }]
const credentialsBy = (user: User) => ({ credentials: { password: user.newPassword('account') } })

const typePath = `/resources/types/${encodeURIComponent('acme/rest')}`
const aboutType: readonly Subject[] = [{ kind: 'ResourceType', name: 'rest' }]

/** Requests about definitions, accounts and types. */
export const definitionCalls: readonly Choice[] = [
  { weight: 4, call: newDefinition },
  { weight: 3, call: changedDefinition },
  {
    weight: 2,
    call(user) {
      const { path, about } = definitionBy(user)
      const body = { app_id: user.pick(restApplications), env_id: 'dev' }
      return { method: 'POST', path: `${path}/criteria`, body, about }
    },
  },
  {
    weight: 1,
    call(user) {
      const { path, about } = definitionBy(user)
      return { method: 'PUT', path: `${path}/criteria`, body: [{ app_id: restApplication }], about }
    },
  },
  {
    weight: 2,
    call(user) {
      const { path, about } = definitionBy(user)
      return { method: 'DELETE', path: user.chance(0.5) ? path : `${path}?force=true`, about }
    },
  },
  {
    weight: 2,
    call(user) {
      const body = { id: 'rest', name: newText(user), type: 'maker', ...credentialsBy(user) }
      return creation(accounts, body, { path: accountPath, fields: ['id', 'name', 'type'] })
    },
  },
  {
    weight: 2,
    call(user) {
      const credentials = user.chance(0.7) ? credentialsBy(user) : {}
      return change(accountPath, { name: newText(user), ...credentials }, ['name'], aboutAccount)
    },
  },
  { weight: 1.5, call: () => ({ method: 'DELETE', path: accountPath, about: aboutAccount }) },
  {
    weight: 2,
    call(user) {
      const body = { type: 'acme/rest', use: 'direct', name: newText(user) }
      return creation('/resources/types', body, { path: typePath, fields: ['type', 'use', 'name'] })
    },
  },
  { weight: 1, call: (user) => change(typePath, { name: newText(user) }, ['name'], aboutType) },
  { weight: 1, call: () => ({ method: 'DELETE', path: typePath, about: aboutType }) },
]
