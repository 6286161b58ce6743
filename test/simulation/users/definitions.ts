import type { FreeForm } from '../../../operator/api/schema.ts'
import { account, credentials, customDriver, customType, driverNames, otherClass, place } from './names.ts'
import type { User } from './user.ts'

/** The resource types of a run. */
export function typesOf({ features }: User): string[] {
  return [
    's3',
    'postgres',
    'redis',
    'mysql',
    'amqp',
    ...(features.places ? ['mongodb'] : []),
    ...(features.custom ? [customType] : []),
  ]
}

/** The name of the definition of a type. */
export function definitionName(type: string): string {
  return `def-${type.replace('/', '-')}`
}

/**
 * A definition of a type, each with a higher version. `postgres` and `mysql` depend on `s3`, `amqp` is rendered by
 * templates, `redis` needs no provider. Some are refused by the driver, unless they must be healthy.
 */
export function definitionOf(user: User, type: string, isHealthy = false): FreeForm {
  const version = user.next('version')
  const values = {
    version,
    zone: user.pick(['z1', 'z2']),
    ...(!isHealthy && user.chance(0.06) ? { refuse: true } : {}),
    ...valuesFor(user, type),
  }
  const password = user.chance(0.6) ? { pw: { secret: user.pick(credentials), key: 'password' } } : {}
  const common = { type, criteria: criteriaOf(user) }
  if (type === 'amqp') return { ...common, ...rendered(user, version) }
  if (type === 'redis' && (!isHealthy || user.chance(0.7))) return { ...common, ...echoed(user, version) }
  return {
    ...common,
    driverType: driverTypeFor(user, type),
    driverInputs: { values, secretRefs: type === 'mysql' && user.chance(0.4) ? passedOn : password },
    ...(user.chance(0.4) && type !== customType ? { accountName: account } : {}),
    ...comingAlong(user, type),
  }
}

/** What is provisioned with a resource of a type. */
function comingAlong(user: User, type: string): FreeForm {
  const { places, classes } = user.features
  const provision = type === 's3' && places && user.chance(0.4) ? { provision: provisionOf(user) } : {}
  return classes ? { ...provision, ...companionsOf(user, type) } : provision
}

const criteriaOf = ({ features }: User) => (features.classes ? [{}, { class: otherClass }] : [{}])

/** Resources of another class, or with other IDs, that come along: no more than one has the dependents of the first. */
function companionsOf(user: User, type: string): FreeForm {
  if (!['s3', 'postgres', 'mysql'].includes(type) || user.chance(0.4)) return {}
  const keys = [`redis.${otherClass}#of-${type}`, `amqp#of-${type}`, `amqp.${otherClass}#side`, 'redis']
  const matching = user.pick(keys)
  const provision = Object.fromEntries(
    keys
      .filter(() => user.chance(0.5))
      .map((key) => {
        const isOwn = key.endsWith(`of-${type}`)
        const options = { isDependent: user.chance(0.5), matchDependents: key === matching }
        return [key, isOwn ? options : {}]
      }),
  )
  return { provision }
}

/** A secret output of a dependency as a secret input. */
const passedOn = { pw: { value: '${resources.s3.outputs.aws_secret_access_key}' } }

function driverTypeFor(user: User, type: string): string {
  if (type === customType)
    return user.features.wrappers ? user.pick(driverTypesOf(user)) : `acme/${customDriver}`
  if (user.features.settings && user.chance(0.3)) return 'humanitec/maker'
  const isKept = user.features.cookies && ['s3', 'postgres'].includes(type)
  return isKept ? 'quartermaster/keeper' : 'quartermaster/maker'
}

const driverTypesOf = (user: User) => [
  ...driverNames(user.features).map((name) => `acme/${name}`),
  'quartermaster/maker',
]

function valuesFor(user: User, type: string): FreeForm {
  if (type === 'postgres') return { bucket: "${resources['s3.default#shared.a'].outputs.bucket}" }
  if (type === 'mysql')
    return { objects: 1 + user.surroundings.random.below(3), from: '${resources.s3.outputs.name}' }
  // The server of an address has one instance of a resource (decision 52).
  if (type === customType) return { zone: 'z1' }
  if (type !== 'mongodb') return {}
  return {
    objects: 1 + user.surroundings.random.below(2),
    ...(user.chance(0.6) ? { observes: true } : {}),
    ...(user.chance(0.4) ? { place } : {}),
  }
}

function echoed(user: User, version: number): FreeForm {
  const secretRefs = user.chance(0.5) ? { password: { secret: user.pick(credentials), key: 'password' } } : {}
  const values = { host: `h-${version}`, version }
  return { driverType: 'quartermaster/echo', driverInputs: { values, secretRefs } }
}

function rendered(user: User, version: number): FreeForm {
  const outputs = { name: '{{ .init.name }}', host: 'host-{{ .init.name }}' }
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cm-{{ .id | trunc 8 }}-queue' },
    data: { v: '{{ .init.name }}' },
  }
  const login = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login-{{ .id | trunc 8 }}' },
    data: { v: '{{ .init.name | b64enc }}' },
  }
  const templates = {
    init: { name: `n-${version}` },
    outputs,
    manifests: {
      queue: { location: 'namespace', data: manifest },
      ...(user.features.rights ? { login: { location: 'namespace', data: login } } : {}),
    },
    ...(user.chance(0.5) ? { cookie: { name: '{{ .init.name }}' } } : {}),
  }
  return { driverType: 'quartermaster/template', driverInputs: { values: { templates } } }
}

function provisionOf(user: User): FreeForm {
  return {
    redis: { isDependent: user.chance(0.5), matchDependents: user.chance(0.4) },
    ...(user.chance(0.5) ? { 'mongodb#shared.co': {} } : {}),
  }
}

/** A definition beside the one that fits everything; it can switch the driver of what it matches. */
export function secondDefinitionOf(user: User, type: string): FreeForm {
  const criterion = user.pick([
    { appId: 'shop' },
    { envId: 'prod' },
    { resId: 'shared.a' },
    { envType: 'development', appId: 'blog' },
    ...(user.features.classes ? [{ class: otherClass, appId: 'shop' }, { class: otherClass }] : []),
  ])
  const definition = { ...definitionOf(user, type, true), criteria: [criterion] }
  if (['redis', 'amqp', customType].includes(type) || user.chance(0.7)) return definition
  return { ...definition, driverType: user.pick(['quartermaster/maker', 'quartermaster/keeper']) }
}
