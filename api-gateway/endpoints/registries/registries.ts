import { type Manifest, newObject } from '../../../operator/api/kind.ts'
import { Registry } from '../../../operator/api/registry.ts'
import { list, type Static } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { registryAddress } from '../../../operator/domain/image/image-reference.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import type { Caller } from '../../authenticate.ts'
import { created, type Endpoint, endpoint, type Gateway, noContent, ok } from '../../endpoint.ts'
import { errorShape } from '../../response/shapes.ts'
import { changeObject, currentIfRefused, removeObject, unlessShownAlike } from '../common/change.ts'
import { findAll, findOrThrow, newMetadata } from '../common/find.ts'
import { listEndpoint, nameOf } from '../common/list-endpoint.ts'
import {
  addSecret,
  createWithSecret,
  refuseTakenUnlessIncomplete,
  withNewSecret,
} from '../common/owned-secret.ts'
import { newSecretName } from '../common/secret-refs.ts'
import {
  changedRegistrySpec,
  credentialsShape,
  newRegistryShape,
  type RegistryChanges,
  registryChangesShape,
  registryCredentials,
  registryShape,
  toCredentials,
  toRegistry,
} from './registry-shape.ts'

const tag = 'Registries'
const registriesPath = '/orgs/{org_id}/registries'
const registryPath = '/orgs/{org_id}/registries/{registry_id}'

function findRegistry(
  store: Store,
  { org_id, registry_id }: { readonly org_id: string; readonly registry_id: string },
): Registry {
  return findOrThrow(store, Registry, org_id, registry_id, 'registry')
}

/** Throws Conflict if another object is for the same registry. */
function refuseDuplicate(store: Store, { metadata, spec }: Manifest<typeof Registry>): void {
  const address = registryAddress(spec.registry)
  const holder = findAll(store, Registry, metadata.namespace).find(
    (each) => each.metadata.name !== metadata.name && registryAddress(each.spec.registry) === address,
  )
  if (!holder) return
  const { name } = holder.metadata
  throw new Problem('Conflict', `registry '${name}' is already for '${spec.registry}'`)
}

async function createRegistry(
  organization: string,
  body: Static<typeof newRegistryShape>,
  caller: Caller,
  gateway: Gateway,
): Promise<Registry> {
  const { id, registry, type } = body
  const secretName = newSecretName(id, 'registry')
  const data = registryCredentials(body)
  const spec = changedRegistrySpec({ registry, type }, body, secretName)
  const wanted = newObject(Registry, newMetadata(organization, id, caller), spec)
  const secret = data && { name: secretName, data }
  const creation = { kind: Registry, wanted, secret, what: `registry '${id}'` }
  await refuseTakenUnlessIncomplete(creation, gateway.cluster)
  refuseDuplicate(gateway.cluster.store, wanted)
  return createWithSecret(creation, gateway)
}

/** New credentials are written to a new Secret; the operator deletes the old one. */
async function changeRegistry(
  found: Registry,
  changes: RegistryChanges,
  gateway: Gateway,
): Promise<Registry> {
  const { cluster } = gateway
  const secretName = newSecretName(found.metadata.name, 'registry')
  const data = registryCredentials(changes)
  const changed = (current: Registry) => {
    const wanted = { ...current, spec: changedRegistrySpec(current.spec, changes, secretName) }
    return data ? wanted : unlessShownAlike(current, wanted, toRegistry)
  }
  const { object: known, result: wanted } = await currentIfRefused(cluster, Registry, found, changed)
  // Objects of one address can exist, of kubectl: each can still be changed otherwise.
  if (registryAddress(wanted.spec.registry) !== registryAddress(known.spec.registry))
    refuseDuplicate(cluster.store, wanted)
  const announced = data ? await addSecret(Registry, known, { name: secretName, data }, gateway) : known
  return changeObject(cluster, Registry, announced, (current) =>
    withNewSecret(current, changed(current), secretName),
  )
}

/** Registries of container images. */
export const registries: readonly Endpoint[] = [
  listEndpoint({
    path: registriesPath,
    summary: 'List the registries',
    tag,
    access: { organization: 'member' },
    response: list(registryShape, 'Registries.'),
    find: ({ params: { org_id } }, { cluster: { store } }) => findAll(store, Registry, org_id),
    positionOf: nameOf,
    show: toRegistry,
  }),
  endpoint({
    method: 'post',
    path: registriesPath,
    summary: 'Create a registry',
    tag,
    access: { organization: 'administrator' },
    body: newRegistryShape,
    responses: { 201: registryShape, 409: errorShape },
    handle: async ({ params: { org_id }, body, caller }, gateway) =>
      created(toRegistry(await createRegistry(org_id, body, caller, gateway))),
  }),
  endpoint({
    method: 'get',
    path: registryPath,
    summary: 'Get a registry',
    tag,
    access: { organization: 'member' },
    responses: { 200: registryShape },
    handle: ({ params }, { cluster: { store } }) => ok(toRegistry(findRegistry(store, params))),
  }),
  endpoint({
    method: 'patch',
    path: registryPath,
    summary: 'Change a registry or its credentials',
    tag,
    access: { organization: 'administrator' },
    body: registryChangesShape,
    responses: { 200: registryShape, 409: errorShape },
    async handle({ params, body }, gateway) {
      const registry = findRegistry(gateway.cluster.store, params)
      const { name } = registry.metadata
      if (body.id !== undefined && body.id !== name)
        throw new Problem('Invalid', `'id' must be '${name}': the ID of a registry cannot be changed`)
      return ok(toRegistry(await changeRegistry(registry, body, gateway)))
    },
  }),
  endpoint({
    method: 'delete',
    path: registryPath,
    summary: 'Delete a registry and its credentials',
    tag,
    access: { organization: 'administrator' },
    responses: { 204: undefined },
    async handle({ params }, { cluster }) {
      await removeObject(cluster, Registry, findRegistry(cluster.store, params))
      return noContent
    },
  }),
  endpoint({
    method: 'get',
    path: `${registryPath}/creds`,
    summary: 'Get where the credentials of a registry are; user name and password are never returned',
    tag,
    access: { organization: 'member' },
    responses: { 200: credentialsShape },
    handle: ({ params }, { cluster: { store } }) => ok(toCredentials(findRegistry(store, params))),
  }),
]
