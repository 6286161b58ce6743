import { hash } from 'node:crypto'
import { anyValue, list, map, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import type { SharedValue } from '../../../operator/api/shared-value.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { named, nullable } from '../../response/shapes.ts'
import { createdAt, createdBy } from '../common/find.ts'
import { toValue, type ValuesPath, valueShape, valuesAt } from './value-shape.ts'
import { findValuesOwner } from './values.ts'

const tag = 'Shared values'
const paths = [
  { path: '/orgs/{org_id}/apps/{app_id}/value-set-versions', of: 'an application' },
  { path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/value-set-versions', of: 'an environment' },
] as const

const versionShape = named(
  'ValueSetVersion',
  object(
    {
      id: string('Hash of the values.'),
      values: map(valueShape, 'Values by key.'),
      change: list(
        object(
          { op: oneOf(['add', 'remove', 'replace'], 'Operation.'), path: string('JSON pointer.') },
          { value: anyValue('Value.') },
          'A change.',
        ),
        'Always empty: earlier versions are not kept.',
      ),
      comment: string('Always empty.'),
      created_at: time(
        'Time when a value was last changed through the REST API, or created. Changes by kubectl and GitOps tools do not count.',
      ),
      created_by: string(
        'ID of the user who created the newest value through the REST API. Empty if it was created in another way.',
      ),
      updated_at: time('Same as `created_at`.'),
      result_of: nullable(string('Always null.')),
      source_value_set_version_id: nullable(string('Always null.')),
    },
    {},
    'The current shared values. Earlier versions are not kept.',
  ),
)

function currentVersion(store: Store, path: ValuesPath) {
  const owner = findValuesOwner(store, path)
  const found = valuesAt(store, path)
  const values = Object.fromEntries(found.map((each) => [each.spec.key, toValue(each)]))
  const newest = Object.values(values)
    .map((each) => each.updated_at)
    .reduce((one, other) => (Date.parse(other) > Date.parse(one) ? other : one), createdAt(owner))
  const last = found.reduce<SharedValue | undefined>(
    (one, other) => (one && createdAt(one) > createdAt(other) ? one : other),
    undefined,
  )
  return {
    id: hash('sha256', canonicalJson(found.map(({ spec }) => spec))).slice(0, 40),
    values,
    change: [],
    comment: '',
    created_at: newest,
    created_by: last ? createdBy(last) : '',
    updated_at: newest,
    result_of: null,
    source_value_set_version_id: null,
  }
}

/** Versions of shared values. Only the current one is kept. */
export const valueSetVersions: readonly Endpoint[] = paths.flatMap(({ path, of }): Endpoint[] => [
  endpoint({
    method: 'get',
    path,
    summary: `List the versions of the shared values of ${of} (only the current version is kept)`,
    tag,
    access: { application: 'viewer' },
    query: {
      key_changed: string('Key of a value. The list is empty if no such value exists.', { maxLength: 253 }),
    },
    responses: { 200: list(versionShape, 'Versions.') },
    handle({ params, query: { key_changed: key } }, { cluster: { store } }) {
      const version = currentVersion(store, params)
      return ok(key === undefined || Object.hasOwn(version.values, key) ? [version] : [])
    },
  }),
  endpoint({
    method: 'get',
    path: `${path}/{value_set_version_id}`,
    summary: `Get a version of the shared values of ${of}`,
    tag,
    access: { application: 'viewer' },
    responses: { 200: versionShape },
    handle({ params }, { cluster: { store } }) {
      const version = currentVersion(store, params)
      if (version.id === params.value_set_version_id) return ok(version)
      throw new Problem('NotFound', `value set version '${params.value_set_version_id}' not found`)
    },
  }),
])
