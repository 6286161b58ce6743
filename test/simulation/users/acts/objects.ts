import type { StoredObject } from '../../../../operator/api/kind.ts'
import { kinds } from '../../../../operator/api/kinds.ts'
import { labels } from '../../../../operator/api/names.ts'
import { openPlace } from '../beginning.ts'
import { place } from '../names.ts'
import type { Act } from './act.ts'

const isApplied = ({ metadata }: StoredObject) => metadata.labels?.[labels.resource] !== undefined

/** Acts on objects that the operator made, and on those of other clients. */
export const objectActs: readonly Act[] = [
  {
    weight: 2,
    what: 'annotates an object of ours',
    act(user) {
      const kind = user.pick(
        kinds.filter(({ kind: name }) =>
          ['ActiveResource', 'EnvironmentDeployment', 'Environment', 'ResourceDefinition'].includes(name),
        ),
      )
      const { name } = user.pickObject(kind).metadata
      user.patch(kind.kind, name, { metadata: { annotations: { note: `n${user.next('note')}` } } })
    },
  },
  {
    weight: 1.5,
    what: 'deletes an applied object',
    act(user) {
      const kind = user.pick(['ConfigMap', 'Deployment'])
      const { name, namespace } = user.pickOther(kind, (each) => user.isOfEnvironment(each)).metadata
      user.remove(kind, name, namespace)
    },
  },
  {
    weight: 1.5,
    what: 'changes an applied object',
    act(user) {
      const { name, namespace } = user.pickOther('ConfigMap', (each) => user.isOfEnvironment(each)).metadata
      user.patch('ConfigMap', name, { data: { v: 'drift' } }, namespace)
    },
  },
  {
    weight: 1,
    what: 'deletes the namespace of an environment',
    act(user) {
      const { name } = user.pickOther('Namespace', ({ metadata }) =>
        metadata.name.startsWith(`${user.organization}--`),
      ).metadata
      user.remove('Namespace', name)
    },
  },
  {
    weight: 0.7,
    what: 'removes the label of the organization for a while',
    act(user) {
      const label = { [labels.organization]: user.organization }
      const what = 'restores the label of the organization'
      user.unlabelForAWhile(user.organization, label, { from: 500, to: 15_000 }, what)
    },
  },
]

/** Acts on the namespace of an administrator. */
export const placeActs: readonly Act[] = [
  {
    weight: 1.5,
    what: 'closes the namespace of the administrator for a while',
    act(user) {
      const label = { [labels.accepts]: user.organization }
      user.unlabelForAWhile(place, label, { from: 500, to: 20_000 }, 'opens it')
    },
  },
  {
    weight: 0.5,
    what: 'deletes the namespace of the administrator, and creates it later',
    act(user) {
      user.remove('Namespace', place)
      user.later({ from: 3000, to: 28_000, times: 5 }, `creates ${place}`, () => openPlace(user))
    },
  },
  {
    weight: 3,
    what: 'writes beside the operator in an applied object',
    act(user) {
      const { name, namespace } = user.pickOther('ConfigMap', isApplied).metadata
      user.patch('ConfigMap', name, { data: { extra: `x${user.next('extra')}` } }, namespace)
    },
  },
]
