import { ResourceDriver } from '../../../operator/api/resource-driver.ts'
import { wrappedDriverType } from '../../../operator/domain/definition/third-party.ts'
import { objectOf, organization, type Surroundings } from '../surroundings.ts'

/** The end of the drivers that wrap others, from a driver type on. */
interface Wrapped {
  /** The driver type that provisions; that of the last driver followed if they wrap each other. */
  readonly innermost: string
  /** What the last wrapper adds to the values, as the input `note`; undefined for a driver that wraps none. */
  readonly note: string | undefined
}

const mostFollowed = 10

export function wrappedBy(surroundings: Pick<Surroundings, 'server'>, driverType: string): Wrapped {
  let [innermost, note]: [string, string | undefined] = [driverType, undefined]
  for (let followed = 0; followed < mostFollowed; followed += 1) {
    const [owner, name] = innermost.split('/')
    const driver = owner === organization ? objectOf(surroundings, ResourceDriver, name) : undefined
    const wrapped = driver && wrappedDriverType(driver)
    if (!driver || wrapped === undefined) break
    innermost = wrapped
    note = /note: (\w+)/.exec(String(driver.spec.template))?.[1]
  }
  return { innermost, note }
}
