import type { RestSide } from '../gateway/rest-side.ts'
import type { Named } from '../laws/endings.ts'
import { contentBy, deploy } from '../users/contents.ts'
import { environments } from '../users/names.ts'
import type { User } from '../users/user.ts'

/** Deploys something to each environment; answers the names of the deployments. */
export function deployEach(users: readonly User[]): Named[] {
  const made: Named[] = []
  for (const user of users)
    for (const environment of environments)
      user.does(`deploys ${environment}`, () => {
        const name = deploy(user, environment, contentBy(user))
        made.push({ owner: user.organization, name })
      })
  return made
}

/** Plans and deploys something to each environment; the names follow. */
export function deployPlanned(users: readonly User[], rest: RestSide): Named[] {
  const made: Named[] = []
  const deployTo = async (user: User, environment: string) => {
    const name = await rest.deploy(user, environment)
    if (name !== undefined) made.push({ owner: user.organization, name })
  }
  for (const user of users) for (const environment of environments) void deployTo(user, environment)
  return made
}
