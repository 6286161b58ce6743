import { ArtefactVersion } from '../../../../operator/api/artefact-version.ts'
import { ruleName, ruleSpec } from '../beginning.ts'
import { typesOf } from '../definitions.ts'
import { applications, environments, image } from '../names.ts'
import type { User } from '../user.ts'
import type { Act } from './act.ts'

export const workloadActs: readonly Act[] = [
  {
    weight: 4,
    what: 'writes or deletes a Workload',
    act(user) {
      const [application, id] = [user.pick(applications), user.pick(['web', 'bot'])]
      const name = `${application}.${id}`
      if (user.exists('Workload', name) && user.chance(0.25)) user.remove('Workload', name)
      else user.write('Workload', name, workloadSpec(user, application, id))
    },
  },
]

function workloadSpec(user: User, application: string, id: string) {
  const ref = user.chance(0.4) ? { id: user.pick(['a', 'aa']) } : {}
  const db = user.chance(0.7) ? { db: { type: user.pick(typesOf(user)), ...ref } } : {}
  const variables = user.features.pods ? { variables: { V: `v${user.next('variable') % 3}` } } : {}
  const containers = { main: { image: `nginx:${user.next('image') % 5}`, ...variables } }
  return {
    applicationName: application,
    environmentIds: user.chance(0.8) ? ['dev'] : [],
    score: { apiVersion: 'score.dev/v1b1', metadata: { name: id }, containers, resources: db },
  }
}

/** Versions of images, and the rules that deploy them. */
export const imageActs: readonly Act[] = [
  {
    weight: 4,
    what: 'registers a version',
    act(user) {
      const number = user.next('registered')
      const artefactName = user.pick([image, image, 'nginx'])
      user.create('ArtefactVersion', `ver-${number}`, {
        type: 'container',
        artefactName,
        version: `w${number}`,
      })
    },
  },
  {
    weight: 1,
    what: 'deletes a version, and registers it again',
    act(user) {
      const { metadata, spec } = user.pickObject(ArtefactVersion)
      user.remove('ArtefactVersion', metadata.name)
      user.later({ from: 10, to: 9000 }, `registers ${metadata.name} again`, () =>
        user.create('ArtefactVersion', metadata.name, spec),
      )
    },
  },
  {
    weight: 0.7,
    what: 'archives a version',
    act(user) {
      const { name } = user.pickObject(ArtefactVersion).metadata
      user.patch('ArtefactVersion', name, { spec: { archived: true } })
    },
  },
  {
    weight: 1.5,
    what: 'writes or deletes a rule',
    act(user) {
      const environment = user.pick(environments)
      const name = ruleName(environment)
      const filter = user.chance(0.3) ? { artefactsFilter: [image] } : {}
      if (user.exists('AutomationRule', name) && user.chance(0.25)) user.remove('AutomationRule', name)
      else
        user.write('AutomationRule', name, { ...ruleSpec(environment), active: user.chance(0.8), ...filter })
    },
  },
]
