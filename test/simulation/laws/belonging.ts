import type { Membership } from '../../../operator/api/access.ts'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { contentKinds } from '../../../operator/api/kinds.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import { servedAs } from '../server/resources.ts'
import type { Change } from '../server/storage.ts'
import type { World } from '../world.ts'
import type { Law, WriteLaw } from './law.ts'
import { nameOf } from './law.ts'

const ofApplication = new Set([...contentKinds.map(({ kind }) => kind), 'Environment'])
/** What belongs to an environment if it names one. */
const ofPlace = new Set(['SharedValue', 'AutomationRule'])
const ofEnvironment = new Set(['EnvironmentDeployment', 'ActiveResource'])
/** What the operator deletes with its application only. */
const lasting = new Set(['Environment', 'SharedValue', 'Webhook', 'AutomationRule', 'Workload'])

/** The application or environment to which an object belongs, by its spec. */
function ownerOf({ kind, metadata, spec }: StoredObject): { kind: string; name: string } | undefined {
  if (!isObject(spec)) return undefined
  const { applicationName, environmentName, environmentId } = spec
  if (ofPlace.has(kind) && environmentId !== undefined)
    return { kind: 'Environment', name: `${String(applicationName)}.${String(environmentId)}` }
  if (ofEnvironment.has(kind)) return { kind: 'Environment', name: String(environmentName) }
  if (!ofApplication.has(kind) || metadata.namespace === undefined) return undefined
  return { kind: 'Application', name: String(applicationName) }
}

function currentOwner(object: StoredObject, { server }: World): StoredObject | undefined {
  const owner = ownerOf(object)
  return owner && server.storage.get(servedAs(owner.kind), object.metadata.namespace, owner.name)
}

/** Whether a deployment never ran: one over REST for an earlier environment fails. */
function isRefused({ kind, status }: StoredObject): boolean {
  return kind === 'EnvironmentDeployment' && !(isObject(status) && status['startTime'] !== undefined)
}

/** Whether an application or an environment is being deleted, or the application of the environment is, or is gone. */
function isEnding(owner: StoredObject, world: World): boolean {
  if (owner.metadata.deletionTimestamp !== undefined) return true
  if (owner.kind === 'Application') return false
  const application = currentOwner(owner, world)
  return application?.metadata.deletionTimestamp !== undefined || application === undefined
}

/** The laws that a later object of a name shares nothing with an earlier one, with the memory that they need. */
export function belongingLaws(isAccepted: (uid: string) => boolean): {
  readonly writes: readonly WriteLaw[]
  readonly quiet: readonly Law[]
} {
  /** To which application or environment an object belongs, by their uids. */
  const owners = new Map<string, string>()
  /** Whether a gateway or the operator made an object, by its uid. */
  const ours = new Map<string, { readonly isGateway: boolean }>()
  /** To which application a role was given, by member and application. */
  const roles = new Map<string, string | undefined>()

  function note({ type, object }: Change, world: World): void {
    if (type === 'ADDED' && ownerOf(object)) {
      const { uid } = object.metadata
      const owner = currentOwner(object, world)
      owners.set(uid, owner?.metadata.uid ?? 'none')
      // What kubectl creates belongs to the one that has the name later, with what the operator makes for it; sets are shared.
      const { writer } = world.server.storage
      const isMade = writer && (writer.isGateway || owner)
      if (isMade && object.kind !== 'DeploymentSet') ours.set(uid, { isGateway: writer.isGateway })
    }
    if (object.kind === 'Membership' && type !== 'DELETED') noteRoles(object as unknown as Membership, world) // as its kind says
  }

  function noteRoles(membership: Membership, { server }: World): void {
    const given = new Set((membership.spec.applications ?? []).map(({ applicationName }) => applicationName))
    const start = `${keyOf(membership)} `
    for (const key of roles.keys())
      if (key.startsWith(start) && !given.has(key.slice(start.length))) roles.delete(key)
    for (const name of given) {
      const application = server.storage.get(servedAs('Application'), membership.metadata.namespace, name)
      if (!roles.has(start + name)) roles.set(start + name, application?.metadata.uid)
    }
  }

  return {
    writes: [
      {
        law: 'What belongs to an application or an environment is not deleted with an earlier one of its name.',
        problem(change, world) {
          note(change, world)
          const { type, before, object } = change
          const { writer } = world.server.storage
          if (!lasting.has(object.kind) || writer?.isGateway !== false) return undefined
          const isDeleted = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined
          if (!isDeleted || before?.metadata.deletionTimestamp !== undefined) return undefined
          const owner = currentOwner(object, world)
          const isOwned = owner && owners.get(object.metadata.uid) === owner.metadata.uid
          if (!isOwned || isEnding(owner, world)) return undefined
          return `${nameOf(owner)} is not being deleted`
        },
      },
    ],
    quiet: [
      {
        law: 'Nothing belongs to an application or an environment that belonged to an earlier one of its name.',
        findings: (world) =>
          [...ofApplication, ...ofEnvironment].flatMap((kind) =>
            world.server.storage.list(servedAs(kind)).flatMap((each) => {
              const [owner, first] = [currentOwner(each, world), owners.get(each.metadata.uid)]
              const maker = ours.get(each.metadata.uid)
              if (!owner || first === owner.metadata.uid || !maker || isRefused(each)) return []
              // A request that fails says that it may have made a change.
              if (maker.isGateway && !isAccepted(each.metadata.uid)) return []
              return [{ object: nameOf(each), detail: `it was made for an earlier ${nameOf(owner)}` }]
            }),
          ),
      },
      {
        law: 'No role on an application was given on an earlier one of its name.',
        findings: ({ server }) =>
          [...roles].flatMap(([key, uid]) => {
            const [member = '', name = ''] = key.split(' ')
            const current = server.storage.get(servedAs('Application'), member.split('/')[0], name)
            if (!current || uid === current.metadata.uid) return []
            return [{ object: `Membership ${member}`, detail: `its role on ${name} is of an earlier one` }]
          }),
      },
    ],
  }
}
