import type { ResourceDriver } from '../../api/resource-driver.ts'
import { freeForm } from '../../api/schema.ts'
import { type Fault, faultsFor } from '../base/fault.ts'
import { didYouMean } from '../base/nearest.ts'
import { faultsOfGoTemplates } from '../placeholder/go-template.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import { faultOfPartedSchema } from '../schema/user-schema.ts'
import { driverOf } from './definition.ts'

/** What a driver of an organization is called in definitions. */
export function ownDriverType({ metadata }: Pick<ResourceDriver, 'metadata'>): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`
}

const virtual = 'driver://'

/** The driver type that a target of a wrapping driver names; undefined for an address. */
export function wrappedDriverType({ spec }: Pick<ResourceDriver, 'spec'>): string | undefined {
  return spec.target.startsWith(virtual) ? spec.target.slice(virtual.length) : undefined
}

/** The descriptors of the drivers that an organization has, those of ours first. */
export function catalogueWith(
  builtIn: readonly DriverDescriptor[],
  drivers: readonly ResourceDriver[],
  vendors: readonly string[],
): DriverDescriptor[] {
  const direct = drivers
    .filter((each) => wrappedDriverType(each) === undefined)
    .map((each) => describeRemote(each))
  const catalogue = [...builtIn, ...direct]
  // What wraps another driver is known when that one is.
  let waiting = drivers.filter((each) => wrappedDriverType(each) !== undefined)
  for (;;) {
    const found = waiting.flatMap((each) => {
      const inner = driverOf(wrappedDriverType(each) ?? '', catalogue, vendors)
      return inner ? [{ each, descriptor: describeWrapping(each, inner) }] : []
    })
    if (found.length === 0) return catalogue
    catalogue.push(...found.map(({ descriptor }) => descriptor))
    waiting = waiting.filter((each) => !found.some((other) => other.each === each))
  }
}

function describe(driver: ResourceDriver, description: string) {
  const { type, inputsSchema, accountTypes = [] } = driver.spec
  return {
    name: ownDriverType(driver),
    description,
    resourceTypes: [type],
    account: { types: accountTypes, required: accountTypes.length > 0 && !accountTypes.includes('none') },
    values: freeForm('Judged by the schema of the driver.'),
    secrets: freeForm('Judged by the schema of the driver.'),
    ...(inputsSchema ? { inputsSchema } : {}),
    replacedBy: [],
  }
}

function describeRemote(driver: ResourceDriver): DriverDescriptor {
  return {
    ...describe(driver, `The driver at '${driver.spec.target}'.`),
    neighbours: {},
    takesIngressRules: false,
    remote: true,
    keepsCookie: true,
  }
}

function describeWrapping(driver: ResourceDriver, inner: DriverDescriptor): DriverDescriptor {
  const { neighbours, takesIngressRules, applies, remote, keepsCookie } = inner
  return {
    ...describe(driver, `Gives its inputs, put in other words, to '${inner.name}'.`),
    ...(driver.spec.accountTypes ? {} : { account: inner.account }),
    neighbours,
    takesIngressRules,
    ...(applies ? { applies } : {}),
    ...(remote ? { remote } : {}),
    ...(keepsCookie ? { keepsCookie } : {}),
  }
}

/** Why a driver of an organization cannot be used as it is; `catalogue` holds those that can. */
export function faultsOfDriverObject(
  driver: ResourceDriver,
  catalogue: readonly DriverDescriptor[],
  vendors: readonly string[],
): Fault[] {
  const { inputsSchema = {} } = driver.spec
  const schemaFault = faultOfPartedSchema(inputsSchema)
  return [
    ...faultsFor('InvalidSchema', schemaFault === undefined ? [] : [`'inputsSchema' ${schemaFault}`]),
    ...faultsOfTarget(driver, catalogue, vendors),
    ...faultsFor('InvalidTemplate', faultsOfDriverTemplate(driver.spec)),
  ]
}

/** Why a driver of this target cannot have this template; one that can be read may still fail when it is rendered. */
export function faultsOfDriverTemplate({
  target,
  template,
}: Pick<ResourceDriver['spec'], 'target' | 'template'>): string[] {
  if (template === undefined || template === null) return []
  if (!target.startsWith(virtual)) return ["'template' is for targets that begin with 'driver://' only"]
  return faultsOfGoTemplates(template, 'template')
}

/** What is wrong with the form of a target, wherever it leads; undefined when nothing is. */
export function faultOfTargetForm(target: string): string | undefined {
  if (target.startsWith(virtual))
    return /^driver:\/\/[a-z0-9-]+\/[a-z0-9-]+$/.test(target)
      ? undefined
      : `target '${target}' must be 'driver://<organization or vendor>/<driver>'`
  const url = URL.parse(target)
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return `target '${target}' is neither an HTTP address nor 'driver://<organization or vendor>/<driver>'`
  if (url.username || url.password) return 'the target must hold no user name and no password'
  return undefined
}

function faultsOfTarget(
  driver: ResourceDriver,
  catalogue: readonly DriverDescriptor[],
  vendors: readonly string[],
): Fault[] {
  const form = faultOfTargetForm(driver.spec.target)
  if (form !== undefined) return [{ reason: 'InvalidTarget', message: form }]
  const wrapped = wrappedDriverType(driver)
  if (wrapped === undefined || driverOf(wrapped, catalogue, vendors)) return []
  const names = catalogue.map(({ name }) => name)
  const message = `no driver is named '${wrapped}', or it comes back to this one${didYouMean(wrapped, names)}`
  return [{ reason: 'UnknownDriver', message }]
}
