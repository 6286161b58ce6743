import { limitOf } from '../../server/quotas.ts'
import { servedAs } from '../../server/resources.ts'
import type { User } from '../user.ts'
import type { Act } from './act.ts'

const names = ['limits', 'other-limits']
const ofOrganization = [
  'ActiveResource',
  'ActiveResource',
  'EnvironmentDeployment',
  'DeploymentSet',
  'DeploymentDelta',
  'Secret',
  'WebhookCall',
]
const ofEnvironment = ['ConfigMap', 'Secret', 'Deployment']

/** The quotas that users wrote. */
const written = (user: User) =>
  user.surroundings.server.storage
    .list(servedAs('ResourceQuota'))
    .filter(({ metadata: { name, namespace = '' } }) => {
      const isOwn = namespace === user.organization || namespace.startsWith(`${user.organization}--`)
      return isOwn && names.includes(name)
    })

/** Limits of some kinds, with room for some more objects than a namespace has. */
function limitsFor(user: User, namespace: string, most: number) {
  const { server, random } = user.surroundings
  const kinds = namespace === user.organization ? ofOrganization : ofEnvironment
  const chosen = kinds.filter(() => user.chance(0.4)).map(servedAs)
  const hard = chosen.map((each) => [
    limitOf(each),
    String(server.storage.list(each, namespace).length + random.below(most)),
  ])
  return { hard: Object.fromEntries(hard) }
}

/** Limits of the numbers of objects, which come, go and change. */
export const limitActs: readonly Act[] = [
  {
    weight: 3,
    what: 'limits the objects of a namespace',
    act(user) {
      const namespace = user.chance(0.7)
        ? user.organization
        : user.pickOther('Namespace', ({ metadata }) => metadata.name.startsWith(`${user.organization}--`))
            .metadata.name
      const name = user.pick(names)
      const spec = limitsFor(user, namespace, 4)
      const current = user.surroundings.server.storage.get(servedAs('ResourceQuota'), namespace, name)
      if (!current) user.create('ResourceQuota', name, { spec }, {}, namespace)
      else user.surroundings.server.update(addressOf(name, namespace), { ...current, spec })
    },
  },
  {
    weight: 4,
    what: 'raises or deletes limits',
    act(user) {
      const { name, namespace = '' } = user.pick(written(user)).metadata
      if (user.chance(0.4)) user.remove('ResourceQuota', name, namespace)
      else user.patch('ResourceQuota', name, { spec: limitsFor(user, namespace, 30) }, namespace)
    },
  },
]

const addressOf = (name: string, namespace: string) => ({
  served: servedAs('ResourceQuota'),
  namespace,
  name,
  subresource: undefined,
})

/** Deletes all limits of a user. */
export function endLimits(user: User): void {
  for (const { metadata } of written(user))
    user.does(`deletes the limits of ${metadata.namespace}`, () =>
      user.remove('ResourceQuota', metadata.name, metadata.namespace),
    )
}
