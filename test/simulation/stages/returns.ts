import { AutomationRule } from '../../../operator/api/automation-rule.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import { SharedValue } from '../../../operator/api/shared-value.ts'
import type { Named } from '../laws/endings.ts'
import { type Law, nameOf } from '../laws/law.ts'
import { ruleName, ruleSpec } from '../users/beginning.ts'
import { type Content, deploy } from '../users/contents.ts'
import { applicationOf, environments, image } from '../users/names.ts'
import type { User } from '../users/user.ts'

/** Changes the values that modules read. */
export function changeValues(users: readonly User[]): void {
  for (const user of users.filter(({ features }) => features.returns))
    for (const { metadata } of user.all(SharedValue).filter(({ spec }) => spec.value !== undefined))
      user.does(`changes ${metadata.name}`, () =>
        user.patch('SharedValue', metadata.name, { spec: { value: `c${user.next('color')}` } }),
      )
}

/** Deploys a set to each environment that was deployed before, perhaps last; answers the names of the deployments. */
export function deployAgain(users: readonly User[]): Named[] {
  const made: Named[] = []
  for (const user of users.filter(({ features }) => features.returns))
    for (const environment of environments)
      user.does(`deploys an earlier set to ${environment}`, () => {
        const application = applicationOf(environment)
        const last = user.find(Environment, environment)?.status?.lastPlanned?.setName
        const current = last !== undefined && user.chance(0.4) ? user.find(DeploymentSet, last) : undefined
        const { spec } =
          current ?? user.pickObject(DeploymentSet, (each) => each.spec.applicationName === application)
        const { modules, shared } = spec
        const earlier = { modules, shared } as Content // as the sets of a run are
        const content = user.features.images && user.chance(0.5) ? withImages(earlier) : earlier
        made.push({ owner: user.organization, name: deploy(user, environment, content) })
      })
  return made
}

/** A content whose modules have images of which versions are registered, in one or two containers. */
function withImages({ shared }: Content): Content {
  const moduleOf = (tags: readonly string[]) => {
    const ids = ['main', 'side']
    const containers = tags.map((tag, index) => [ids[index], { id: ids[index], image: `${image}:${tag}` }])
    return { profile: 'quartermaster/default-module', spec: { containers: Object.fromEntries(containers) } }
  }
  return { modules: { api: moduleOf(['v0', 'v1']), job: moduleOf(['v1']) }, shared }
}

const version = 'last'

/** Writes a rule for each environment: some are active, and some for the image. */
export function writeRules(user: User): void {
  for (const environment of environments) {
    const filters = [{}, {}, { artefactsFilter: [image] }, { artefactsFilter: ['nginx'] }]
    const filter = user.pick([...filters, { artefactsFilter: ['nginx'], excludeArtefactsFilter: true }])
    const spec = { ...ruleSpec(environment), active: user.chance(0.6), ...filter }
    user.does(`writes the rule of ${environment}`, () =>
      user.write('AutomationRule', ruleName(environment), spec),
    )
  }
}

/** The images that a set has, of the modules that have containers. */
function imagesOf(user: User, environment: string): string[] {
  const set = user.find(Environment, environment)?.status?.lastPlanned?.setName
  const modules = Object.values((set && user.find(DeploymentSet, set)?.spec.modules) ?? {})
  return modules.flatMap((each) =>
    [...JSON.stringify(each).matchAll(/"image":"([^"]+)"/g)].map(([, text = '']) => text),
  )
}

/** Whether a rule deploys versions of the image to an environment. */
function isAutomatic(user: User, environment: string): boolean {
  const { applicationName, environmentId } = ruleSpec(environment)
  return user.all(AutomationRule).some(({ metadata, spec }) => {
    const { active = true, artefactsFilter = [], excludeArtefactsFilter = false } = spec
    const isHere = spec.applicationName === applicationName && spec.environmentId === environmentId
    const fits = artefactsFilter.length === 0 || artefactsFilter.includes(image) !== excludeArtefactsFilter
    return isHere && active && fits && metadata.deletionTimestamp === undefined
  })
}

/** Registers a version; the law says to which environments it comes. */
export function registerLast(user: User): Law {
  const wanted = new Map(
    environments.map((each) => {
      const old = imagesOf(user, each).filter((text) => text.startsWith(`${image}:`))
      return [each, isAutomatic(user, each) ? old.length : 0]
    }),
  )
  const before = new Map(environments.map((each) => [each, imagesOf(user, each).length]))
  user.does('registers the last version', () =>
    user.create('ArtefactVersion', 'ver-last', { type: 'container', artefactName: image, version }),
  )
  return {
    law: 'A version comes with one deployment to each environment that has another one and a rule.',
    findings: () =>
      environments.flatMap((each) => {
        const deployments = user
          .all(EnvironmentDeployment)
          .filter(
            ({ metadata, spec }) =>
              spec.environmentName === each &&
              metadata.annotations?.[annotations.artefactVersions]?.split(',').includes('ver-last'),
          )
        const count = wanted.get(each) ?? 0
        const images = imagesOf(user, each)
        const now = images.filter((text) => text === `${image}:${version}`).length
        const isFit =
          deployments.length === (count > 0 ? 1 : 0) && now === count && images.length === before.get(each)
        if (isFit) return []
        const names = deployments.map(nameOf).join(', ') || 'no deployment'
        const detail = `${names} for ${count} containers: ${images.join(', ')}`
        return [{ object: `Environment ${user.organization}/${each}`, detail }]
      }),
  }
}
