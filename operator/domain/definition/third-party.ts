import type { ResourceDriver } from '../../api/resource-driver.ts'
import { freeForm } from '../../api/schema.ts'
import { didYouMean } from '../base/nearest.ts'
import { type ObjectProblem, problemsFor } from '../base/object-problem.ts'
import { problemsOfGoTemplates } from '../placeholder/go-template.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import { problemOfPartedSchema } from '../schema/user-schema.ts'
import { driverOf } from './definition.ts'

/** The driver type of a custom driver. */
export function ownDriverType({ metadata }: Pick<ResourceDriver, 'metadata'>): string {
  return `${metadata.namespace}/${metadata.name}`
}

const wrapperPrefix = 'driver://'

/** The driver type that a wrapper wraps; undefined for an HTTP driver. */
export function wrappedDriverType({ spec }: Pick<ResourceDriver, 'spec'>): string | undefined {
  return spec.target.startsWith(wrapperPrefix) ? spec.target.slice(wrapperPrefix.length) : undefined
}

/** The driver types of a driver and of those in `drivers` that wrap it, directly or through others. */
export function driverTypesOver(driver: ResourceDriver, drivers: readonly ResourceDriver[]): string[] {
  const types = new Set([ownDriverType(driver)])
  for (const type of types)
    for (const each of drivers) if (wrappedDriverType(each) === type) types.add(ownDriverType(each))
  return [...types]
}

/** The descriptors of the built-in drivers, then of the custom drivers of an organization. */
export function catalogueWith(
  builtIn: readonly DriverDescriptor[],
  drivers: readonly ResourceDriver[],
  vendors: readonly string[],
): DriverDescriptor[] {
  const direct = drivers
    .filter((each) => wrappedDriverType(each) === undefined)
    .map((each) => describeRemote(each))
  const catalogue = [...builtIn, ...direct]
  // A wrapper is added after the driver that it wraps.
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
    values: freeForm('Checked against the schema of the driver.'),
    secrets: freeForm('Checked against the schema of the driver.'),
    inputsSchema,
    replaceOnChangeOf: [],
  }
}

function describeRemote(driver: ResourceDriver): DriverDescriptor {
  return {
    ...describe(driver, `The driver at '${driver.spec.target}'.`),
    neighbours: {},
    takesIngressRules: false,
    remote: true,
    address: driverAddress(driver.spec.target),
    keepsCookie: true,
  }
}

/** The URL under which the server at `target` has its resources. */
export function driverAddress(target: string): string {
  return resourceUrl(target, '') ?? target
}

/** The URL of one resource at a driver, with the query of the target; undefined for a target that is not a URL. */
export function resourceUrl(target: string, guResId: string): string | undefined {
  const url = URL.parse(target)
  if (!url) return undefined
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${encodeURIComponent(guResId)}`
  url.hash = ''
  return url.href
}

function describeWrapping(driver: ResourceDriver, inner: DriverDescriptor): DriverDescriptor {
  const { neighbours, takesIngressRules, remote, address, keepsCookie } = inner
  return {
    ...describe(driver, `Renders the inputs of the driver '${inner.name}'.`),
    ...(driver.spec.accountTypes ? {} : { account: inner.account }),
    neighbours,
    takesIngressRules,
    remote,
    address,
    keepsCookie,
    wraps: makerOf(inner),
  }
}

/** The name of the driver that makes the instances of a driver. */
export function makerOf({ name, wraps = name }: DriverDescriptor): string {
  return wraps
}

/** The problems of a custom driver; `catalogue` holds the valid drivers. */
export function problemsOfDriverObject(
  driver: ResourceDriver,
  catalogue: readonly DriverDescriptor[],
  vendors: readonly string[],
): ObjectProblem[] {
  const { inputsSchema = {} } = driver.spec
  const schemaProblem = problemOfPartedSchema(inputsSchema)
  return [
    ...problemsFor('InvalidSchema', schemaProblem === undefined ? [] : [`'inputsSchema' ${schemaProblem}`]),
    ...problemsOfTarget(driver, catalogue, vendors),
    ...problemsFor('InvalidTemplate', problemsOfDriverTemplate(driver.spec)),
  ]
}

/** The problems of the template of a driver. Checks the syntax only. */
export function problemsOfDriverTemplate({
  target,
  template,
}: Pick<ResourceDriver['spec'], 'target' | 'template'>): string[] {
  if (template === undefined || template === null) return []
  if (!target.startsWith(wrapperPrefix)) return ["'template' requires a target that begins with 'driver://'"]
  return problemsOfGoTemplates(template, 'template')
}

/** Why the syntax of a target is invalid; undefined when it is valid. */
export function problemOfTarget(target: string): string | undefined {
  if (target.startsWith(wrapperPrefix))
    return /^driver:\/\/[a-z0-9-]+\/[a-z0-9-]+$/.test(target)
      ? undefined
      : `target '${target}' must be 'driver://<organization or vendor>/<driver>'`
  const url = URL.parse(target)
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return `target '${target}' is neither an HTTP URL nor 'driver://<organization or vendor>/<driver>'`
  if (url.username || url.password) return 'the target must not contain a user name or password'
  return undefined
}

function problemsOfTarget(
  driver: ResourceDriver,
  catalogue: readonly DriverDescriptor[],
  vendors: readonly string[],
): ObjectProblem[] {
  const form = problemOfTarget(driver.spec.target)
  if (form !== undefined) return [{ reason: 'InvalidTarget', message: form }]
  const wrapped = wrappedDriverType(driver)
  if (wrapped === undefined || driverOf(wrapped, catalogue, vendors)) return []
  const names = catalogue.map(({ name }) => name)
  const message = `driver '${wrapped}' is not known, or wraps this driver${didYouMean(wrapped, names)}`
  return [{ reason: 'UnknownDriver', message }]
}
