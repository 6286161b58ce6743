import type { ProvisionedInstance } from '../../api/active-resource.ts'
import { ResourceDriver } from '../../api/resource-driver.ts'
import { freeForm } from '../../api/schema.ts'
import { ReferenceNotFound } from '../../domain/base/errors.ts'
import { driverOf, driverTypeOf } from '../../domain/definition/definition.ts'
import { driverAddress, wrappedDriverType } from '../../domain/definition/third-party.ts'
import type { DriverDescriptor } from '../../domain/resource/driver.ts'
import type { Driver } from '../../drivers/driver.ts'
import type { Store } from '../../kube/cache/store.ts'
import type { Planning } from '../../planning/planning.ts'

/** Makes the drivers that are not built in. */
export interface DriverFactories {
  remote(descriptor: DriverDescriptor, target: string): Driver
  wrapping(descriptor: DriverDescriptor, template: unknown, inner: Driver): Driver
}

/** The driver of a driver type. */
export interface FoundDriver {
  readonly driver: Driver
  /** Driver type and address to record with an instance: of the innermost driver, which provisions. */
  readonly recordedAs: Pick<ProvisionedInstance, 'driverType' | 'target'>
  /** Templates of the wrapping drivers, the outermost first; absent for a driver that wraps none. */
  readonly templates?: readonly unknown[]
}

/** The drivers that an organization may use: the built-in ones and its own. */
export interface OrganizationDrivers {
  readonly builtIn: readonly Driver[]
  /** Returns the driver of a driver type; throws ReferenceNotFound for an unknown one. */
  find(organization: string, driverType: string): FoundDriver
  /** Returns the driver that can deprovision an instance, also after the driver was deleted. */
  forInstance(organization: string, instance: ProvisionedInstance): Driver
}

/** Finds drivers among the built-in ones and the objects of the store. */
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

  function unknownDriver(organization: string, driverType: string): ReferenceNotFound {
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
      if (!found) throw unknownDriver(organization, driverType)
      return found
    },
    forInstance(organization, { driverType, target }) {
      const found = lookUp(organization, driverType)
      // A driver that wraps another one makes no instances.
      if (found?.recordedAs.driverType === driverType) return found.driver
      if (target === undefined) throw unknownDriver(organization, driverType)
      return factories.remote(deletedDriver(driverType, target), target)
    },
  }
}

/** The descriptor of a deleted driver, which can still deprovision. */
function deletedDriver(name: string, target: string): DriverDescriptor {
  return {
    name,
    description: 'A driver that was deleted.',
    account: { types: [], required: false },
    values: freeForm('Unknown.'),
    secrets: freeForm('Unknown.'),
    neighbours: {},
    takesIngressRules: false,
    remote: true,
    address: driverAddress(target),
    keepsCookie: true,
    replaceOnChangeOf: [],
  }
}
