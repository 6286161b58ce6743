import { list } from '../../../operator/api/schema.ts'
import { SharedValue } from '../../../operator/api/shared-value.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { valueObjectName } from '../../../operator/domain/graph/shared-values.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { created, type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { Missing } from '../../request/missing.ts'
import { errorShape } from '../../response/shapes.ts'
import { removeObjects } from '../common/change.ts'
import { findApplication, findEnvironment } from '../common/find.ts'
import { listEndpoint } from '../common/list-endpoint.ts'
import {
  allValues,
  newValueShape,
  ownValues,
  replacedValueShape,
  toValue,
  type ValuesPath,
  valueChangesShape,
  valueShape,
  valuesAt,
} from './value-shape.ts'
import { changeValue, createValue } from './value-writing.ts'

const tag = 'Shared values'
const paths = [
  { path: '/orgs/{org_id}/apps/{app_id}/values', of: 'an application' },
  { path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/values', of: 'an environment' },
] as const

/** Returns the application or environment in the path; throws NotFound. */
export function findValuesOwner(store: Store, path: ValuesPath) {
  const { env_id } = path
  return env_id === undefined ? findApplication(store, path) : findEnvironment(store, { ...path, env_id })
}

function findValue(store: Store, path: ValuesPath & { readonly value_key: string }): SharedValue {
  findValuesOwner(store, path)
  const found = ownValues(store, path).find(({ spec }) => spec.key === path.value_key)
  if (found) return found
  const where = path.env_id === undefined ? '' : ` of environment '${path.env_id}'`
  const place = { applicationName: path.app_id, environmentId: path.env_id, key: path.value_key }
  throw new Missing(
    SharedValue,
    path.org_id,
    valueObjectName(place),
    `value '${path.value_key}'${where} not found`,
  )
}

/** Shared values of applications and environments. */
export const values: readonly Endpoint[] = paths.flatMap(({ path, of }): Endpoint[] => [
  listEndpoint({
    path,
    summary: `List the shared values of ${of}`,
    tag,
    access: { application: 'viewer' },
    isInvalidIfMissing: path.includes('{env_id}'),
    response: list(valueShape, 'Shared values.'),
    find({ params }, { cluster: { store } }) {
      findValuesOwner(store, params)
      return valuesAt(store, params)
    },
    positionOf: ({ spec }) => [spec.key],
    show: toValue,
  }),
  endpoint({
    method: 'post',
    path,
    summary: `Create a shared value of ${of}`,
    tag,
    access: { application: 'developer' },
    body: newValueShape,
    responses: { 201: valueShape, 409: errorShape },
    handle: async ({ params, body, caller }, gateway) =>
      created(toValue(await createValue(params, body, caller, gateway))),
  }),
  endpoint({
    method: 'delete',
    path,
    summary: `Delete all shared values of ${of}`,
    tag,
    access: { application: 'developer' },
    responses: { 204: undefined },
    async handle({ params }, { cluster }) {
      findValuesOwner(cluster.store, params)
      await removeAll(cluster, params)
      return noContent
    },
  }),
  endpoint({
    method: 'put',
    path: `${path}/{value_key}`,
    summary: `Replace a shared value of ${of}; without a value in the request, the stored value is kept`,
    tag,
    access: { application: 'developer' },
    body: replacedValueShape,
    responses: { 200: valueShape, 409: errorShape },
    async handle({ params, body, caller }, gateway) {
      const value = findValue(gateway.cluster.store, params)
      if (body.key !== undefined && body.key !== params.value_key)
        throw new Problem(
          'Invalid',
          `'key' must be '${params.value_key}': the key of a value cannot be changed`,
        )
      return ok(toValue(await changeValue(value, body, caller, gateway)))
    },
  }),
  endpoint({
    method: 'patch',
    path: `${path}/{value_key}`,
    summary: `Change a shared value of ${of}`,
    tag,
    access: { application: 'developer' },
    body: valueChangesShape,
    responses: { 200: valueShape, 409: errorShape },
    async handle({ params, body, caller }, gateway) {
      const value = findValue(gateway.cluster.store, params)
      return ok(toValue(await changeValue(value, body, caller, gateway)))
    },
  }),
  endpoint({
    method: 'delete',
    path: `${path}/{value_key}`,
    summary: `Delete a shared value of ${of}`,
    tag,
    access: { application: 'developer' },
    responses: { 204: undefined },
    async handle({ params }, { cluster }) {
      const { spec } = findValue(cluster.store, params)
      await removeAll(cluster, params, spec.key)
      return noContent
    },
  }),
])

/** Deletes duplicates of the key too, so that none of them takes its place. */
async function removeAll(cluster: Cluster, path: ValuesPath, key?: string): Promise<void> {
  const removed = allValues(cluster.store, path).filter(
    ({ spec }) => spec.environmentId === path.env_id && (key === undefined || spec.key === key),
  )
  await removeObjects(cluster, SharedValue, removed)
}
