import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import type { StoredObject } from '../../../../operator/api/kind.ts'
import { kinds } from '../../../../operator/api/kinds.ts'
import { labels } from '../../../../operator/api/names.ts'
import { servedAs } from '../../server/resources.ts'
import { organization, otherOrganization } from '../../surroundings.ts'
import { createMissing, createOrganization } from '../beginning.ts'
import { place } from '../names.ts'
import type { User } from '../user.ts'
import type { Act } from './act.ts'

const foreignFinalizer = 'example.com/other'
const kindsToHold = [...kinds.map(({ kind }) => kind), 'ConfigMap', 'Secret', 'Deployment']
const isLive = ({ metadata }: StoredObject) => metadata.deletionTimestamp === undefined

/** Other controllers keep objects of ours for a while. */
export const finalizerActs: readonly Act[] = [
  {
    weight: 5,
    what: 'puts a finalizer of another controller on an object for a while',
    act(user) {
      const kind = user.pick(kindsToHold)
      const { name, namespace, uid, finalizers = [] } = user.pickOther(kind, isLive).metadata
      if (finalizers.includes(foreignFinalizer)) throw new Error('the object has it already')
      const patch = { metadata: { finalizers: [...finalizers, foreignFinalizer] } }
      user.patch(kind, name, patch, namespace)
      user.later({ from: 500, to: 20_000 }, `removes the finalizer of ${kind} ${name}`, () =>
        release(user, { kind, name, namespace, uid }),
      )
    },
  },
]

interface Held {
  readonly kind: string
  readonly name: string
  readonly namespace: string | undefined
  readonly uid: string
}

/** Removes the finalizer from an object, which must have it. */
function release(user: User, { kind, name, namespace, uid }: Held): void {
  const { journal, server } = user.surroundings
  const object = server.storage.get(servedAs(kind), namespace, name)
  const finalizers = object?.metadata.uid === uid ? (object.metadata.finalizers ?? []) : []
  if (!finalizers.includes(foreignFinalizer)) {
    journal.violation('A finalizer of another controller is kept.', `${kind} ${name}`, 'it is gone')
    return
  }
  const others = finalizers.filter((each) => each !== foreignFinalizer)
  user.patch(kind, name, { metadata: { finalizers: others } }, namespace)
}

/** Users delete the rights that the operator gave itself. */
export const bindingActs: readonly Act[] = [
  {
    weight: 2,
    what: 'deletes a RoleBinding',
    act(user) {
      const { name, namespace } = user.pickOther('RoleBinding', isLive).metadata
      user.remove('RoleBinding', name, namespace)
    },
  },
]

export const deletionActs: readonly Act[] = [
  {
    weight: 1,
    what: 'deletes the organization, and creates it later',
    act(user) {
      user.remove('Namespace', user.organization)
      user.later({ from: 8000, to: 20_000, times: 5 }, 'creates all anew', () => {
        createOrganization(user)
        createMissing(user)
      })
    },
  },
]

/** What one organization takes from another. */
export const rivalActs: readonly Act[] = [
  {
    weight: 2,
    what: 'opens the namespace of the administrator for another organization for a while',
    act(user) {
      const open = (owner: string) =>
        user.patch('Namespace', place, { metadata: { labels: { [labels.accepts]: owner } } })
      open(otherOrganization)
      user.later({ from: 500, to: 20_000, times: 2 }, 'opens it again', () => open(organization))
    },
  },
]

/** Releases of the operator that store objects in another way. */
export const releaseActs: readonly Act[] = [
  {
    weight: 3,
    what: 'removes a field from the status of a resource, which another release did not write',
    act(user) {
      const { name } = user.pickObject(ActiveResource, ({ status }) => status !== undefined).metadata
      const field = user.pick(['inputsHash', 'explanation', 'provisionTime', 'conditions', 'attempts'])
      user.patchStatus('ActiveResource', name, { [field]: null })
    },
  },
]
