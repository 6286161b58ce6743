import { newObject } from '../../../operator/api/kind.ts'
import { ResourceDriver } from '../../../operator/api/resource-driver.ts'
import { list } from '../../../operator/api/schema.ts'
import { ownDriverType, wrappedDriverType } from '../../../operator/domain/definition/third-party.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Endpoint, endpoint, type Gateway, noContent, ok } from '../../endpoint.ts'
import { errorShape } from '../../response/shapes.ts'
import { changeObject, removeObject, unlessShownAlike } from '../common/change.ts'
import { find, findAll, findOrThrow, newMetadata, refuseTaken } from '../common/find.ts'
import { listEndpoint } from '../common/list-endpoint.ts'
import { definitionsThatUse, refuseUsed } from '../common/refuse-used.ts'
import {
  driverShape,
  driverSpec,
  newDriverShape,
  replacedDriverShape,
  toBuiltInDriver,
  toDriver,
} from './driver-shape.ts'

const tag = 'Drivers'
const driversPath = '/orgs/{org_id}/resources/drivers'
const driverPath = '/orgs/{org_id}/resources/drivers/{driver_id}'

function findDriver(store: Store, organization: string, id: string): ResourceDriver {
  return findOrThrow(store, ResourceDriver, organization, id, 'driver')
}

function builtInDrivers(organization: string, { planning, settings }: Gateway) {
  const [vendor = ''] = settings.vendors
  const builtIn = planning.catalogueOf(organization).filter(({ name }) => !name.includes('/'))
  return builtIn.map((each) => toBuiltInDriver(each, vendor))
}

/** Throws Conflict if a definition or another driver uses the driver. */
function refuseUsedDriver(store: Store, driver: ResourceDriver): void {
  const { namespace, name } = driver.metadata
  const type = ownDriverType(driver)
  refuseUsed('Conflict', `driver '${name}'`, {
    resource_definitions: definitionsThatUse(store, 'driver', namespace, type),
    drivers: findAll(store, ResourceDriver, namespace)
      .filter((each) => wrappedDriverType(each) === type)
      .map(({ metadata }) => metadata.name),
  })
}

/** Drivers of the organization and built-in drivers. */
export const drivers: readonly Endpoint[] = [
  listEndpoint({
    path: driversPath,
    summary: 'List the drivers, built-in drivers first',
    tag,
    access: { organization: 'member' },
    response: list(driverShape, 'Drivers.'),
    find: ({ params: { org_id } }, gateway) => [
      ...builtInDrivers(org_id, gateway).map((shown) => ({ group: 'built-in', shown })),
      ...findAll(gateway.cluster.store, ResourceDriver, org_id).map((own) => ({
        group: 'own',
        shown: toDriver(own),
      })),
    ],
    positionOf: ({ group, shown }) => [group, shown.id],
    show: ({ shown }) => shown,
  }),
  endpoint({
    method: 'post',
    path: driversPath,
    summary: 'Register a driver',
    tag,
    access: { organization: 'administrator' },
    body: newDriverShape,
    takesTurn: true,
    responses: { 200: driverShape, 409: errorShape },
    async handle({ params: { org_id }, body, caller }, { cluster }) {
      const spec = driverSpec(body)
      const known = cluster.store.get(ResourceDriver, org_id, body.id)
      await refuseTaken(cluster, ResourceDriver, known, `driver '${body.id}'`)
      const wanted = newObject(ResourceDriver, newMetadata(org_id, body.id, caller), spec)
      return ok(toDriver(await cluster.create(ResourceDriver, wanted)))
    },
  }),
  endpoint({
    method: 'get',
    path: driverPath,
    summary: 'Get a driver of the organization or a built-in driver',
    tag,
    access: { organization: 'member' },
    responses: { 200: driverShape },
    handle({ params: { org_id, driver_id } }, gateway) {
      const { store } = gateway.cluster
      const own = find(store, ResourceDriver, org_id, driver_id)
      const builtIn = own ? undefined : builtInDrivers(org_id, gateway).find(({ id }) => id === driver_id)
      return ok(builtIn ?? toDriver(findDriver(store, org_id, driver_id)))
    },
  }),
  endpoint({
    method: 'put',
    path: driverPath,
    summary: 'Replace a driver',
    tag,
    access: { organization: 'administrator' },
    body: replacedDriverShape,
    takesTurn: true,
    responses: { 200: driverShape },
    async handle({ params: { org_id, driver_id }, body }, { cluster }) {
      const spec = driverSpec(body)
      const driver = findDriver(cluster.store, org_id, driver_id)
      const changed = await changeObject(cluster, ResourceDriver, driver, (current) =>
        unlessShownAlike(current, { ...current, spec }, toDriver),
      )
      return ok(toDriver(changed))
    },
  }),
  endpoint({
    method: 'delete',
    path: driverPath,
    summary: 'Delete an unused driver',
    tag,
    access: { organization: 'administrator' },
    responses: { 204: undefined, 409: errorShape },
    async handle({ params: { org_id, driver_id } }, { cluster }) {
      const driver = findDriver(cluster.store, org_id, driver_id)
      refuseUsedDriver(cluster.store, driver)
      await removeObject(cluster, ResourceDriver, driver)
      return noContent
    },
  }),
]
