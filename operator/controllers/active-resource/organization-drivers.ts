import type { ProvisionedInstance } from '../../api/active-resource.ts'
import { ResourceDriver } from '../../api/resource-driver.ts'
import { freeForm } from '../../api/schema.ts'
import { ReferenceNotFound } from '../../domain/base/errors.ts'
import { driverOf, driverTypeOf } from '../../domain/definition/definition.ts'
import { wrappedDriverType } from '../../domain/definition/third-party.ts'
import type { DriverDescriptor } from '../../domain/resource/driver.ts'
import type { Driver } from '../../drivers/driver.ts'
import type { Store } from '../../kube/cache/store.ts'
import type { Planning } from '../../planning/planning.ts'

/** How drivers are made that are not built in. */
export interface DriverFactories {
  remote(descriptor: DriverDescriptor, target: string): Driver
  wrapping(descriptor: DriverDescriptor, template: unknown, inner: Driver): Driver
}

/** A driver as a resource uses it. */
export interface FoundDriver {
  readonly driver: Driver
  /** Driver type and address of what really provisions: of a wrapping driver, that of the one inside. */
  readonly recordedAs: Pick<ProvisionedInstance, 'driverType' | 'target'>
  /** Templates of the drivers that wrap it, the outermost first; absent when none does. */
  readonly templates?: readonly unknown[]
}

/** The drivers that an organization may use: those of ours and its own. */
export interface OrganizationDrivers {
  readonly builtIn: readonly Driver[]
  /** The driver that a driver type names; ReferenceNotFound when there is none. */
  find(organization: string, driverType: string): FoundDriver
  /** The driver of what stands, as it is now, or as it was when it is gone. */
  ofStanding(organization: string, standing: ProvisionedInstance): Driver
}

/** Drivers over the objects of the store. */
export function createOrganizationDrivers(options: {
  readonly store: Store
  readonly planning: Planning
  readonly builtIn: readonly Driver[]
  readonly vendors: readonly string[]
  readonly factories: DriverFactories
}): OrganizationDrivers {
  const { store, planning, builtIn, vendors, factories } = options

  function lookUp(organization: string, driverType: string): FoundDriver | undefined {
    const descriptor = driverOf(driverType, planning.catalogueOf(organization), vendors)
    if (!descriptor) return undefined
    const known = builtIn.find((each) => each.descriptor === descriptor)
    if (known) return { driver: known, recordedAs: { driverType } }
    const object = store.get(ResourceDriver, organization, driverType.slice(driverType.indexOf('/') + 1))
    if (!object) return undefined
    const { target, template } = object.spec
    const wrapped = wrappedDriverType(object)
    if (wrapped === undefined)
      return { driver: factories.remote(descriptor, target), recordedAs: { driverType, target } }
    const inner = lookUp(organization, wrapped)
    if (!inner) return undefined
    const driver = factories.wrapping(descriptor, template, inner.driver)
    return { ...inner, driver, templates: [template, ...(inner.templates ?? [])] }
  }

  function unknown(organization: string, driverType: string): ReferenceNotFound {
    const known = planning.catalogueOf(organization).map((each) => `'${driverTypeOf(each, vendors)}'`)
    return new ReferenceNotFound(
      'UnknownDriver',
      `no driver is named '${driverType}'; known drivers: ${known.join(', ')}`,
    )
  }

  return {
    builtIn,
    find(organization, driverType) {
      const found = lookUp(organization, driverType)
      if (!found) throw unknown(organization, driverType)
      return found
    },
    ofStanding(organization, { driverType, target }) {
      const found = lookUp(organization, driverType)
      // One that wraps another by now never made anything itself.
      if (found?.recordedAs.driverType === driverType) return found.driver
      if (target === undefined) throw unknown(organization, driverType)
      return factories.remote(goneDriver(driverType), target)
    },
  }
}

/** What is left of a driver that was deleted: it can still be asked to take away what it made. */
function goneDriver(name: string): DriverDescriptor {
  return {
    name,
    description: 'A driver that was deleted.',
    account: { types: [], required: false },
    values: freeForm('Unknown.'),
    secrets: freeForm('Unknown.'),
    neighbours: {},
    takesIngressRules: false,
    remote: true,
    keepsCookie: true,
    replacedBy: [],
  }
}
