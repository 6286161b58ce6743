import { ActiveResource } from '../../operator/api/active-resource.ts'
import { newObject } from '../../operator/api/kind.ts'
import {
  type Criterion,
  criterionSchema,
  provisionSchema,
  ResourceDefinition,
} from '../../operator/api/resource-definition.ts'
import { type FreeForm, list, object, oneOf, type Static, string } from '../../operator/api/schema.ts'
import { faultOf, parseReference } from '../../operator/domain/descriptor.ts'
import { Problem } from '../../operator/domain/errors.ts'
import { createMatcher, criterionId, formatCriterion } from '../../operator/domain/matching.ts'
import type { Store } from '../../operator/kube/cluster.ts'
import type { Caller } from '../authenticate.ts'
import { type Endpoint, endpoint, type Gateway, noContent, ok } from '../endpoint.ts'
import { errorShape } from '../shapes.ts'
import { fromWire } from '../wire.ts'
import { definitionShape, newDefinitionShape, type Spelling, toDefinition } from './definition-shape.ts'
import { find, findAll, inOrganization, newMetadata, refuseTaken, refuseTooLarge } from './find.ts'
import { extractReferences, extractSecrets, inputsSecret, newSecretName } from './secret-refs.ts'
import { undoing } from './undo.ts'

type NewDefinition = Static<typeof newDefinitionShape>
type NewInputs = NonNullable<NewDefinition['driver_inputs']>

const changesShape = list(
  object(
    {
      app_id: string('Application.'),
      env_id: string('Environment.'),
      res_id: string('Resource ID.'),
      from_def: string('Definition that provisioned it.'),
      to_def: string('Definition that would; empty when none fits.'),
    },
    {},
    'A resource that the definition provisioned.',
  ),
  'What the deletion would change.',
)

/** The inputs of a request that may mix both spellings. */
function inputsOf({ driver_params: older, driver_inputs: current }: NewDefinition): NewInputs | undefined {
  if (!older || !current) return current ?? older
  const merged = { ...older, ...current }
  const values = { ...older.values, ...current.values }
  return Object.keys(values).length > 0 ? { ...merged, values } : merged
}

/** A request that uses the older names is answered in them; one that uses neither is answered as its path says. */
function spellingOf(body: NewDefinition, ofPath: Spelling): Spelling {
  if (body.driver_params || body.account_id !== undefined) return 'older'
  return body.driver_inputs || body.driver_account !== undefined ? 'current' : ofPath
}

function refuseMalformed({ type, provision = {} }: NewDefinition): void {
  const fault = faultOf({ type })
  if (fault) throw new Problem('Invalid', fault)
  for (const key of Object.keys(provision)) if (!key.includes('${')) parseReference(key)
}

function refuseDuplicates(
  store: Store,
  organization: string,
  type: string,
  criteria: readonly Criterion[],
): void {
  for (const criterion of criteria) {
    const value = inOrganization(organization, `${type} ${criterionId(criterion)}`)
    const holder = store
      .byIndex(ResourceDefinition, 'criterion', value)
      .find(({ metadata }) => !metadata.deletionTimestamp)
    if (!holder) continue
    const { name } = holder.metadata
    const text = `criterion ${formatCriterion(criterion)} for type '${type}' is already held by definition '${name}'`
    throw new Problem('Conflict', text, { definition: name })
  }
}

function secretsOf({ secrets, secret_refs: references }: NewInputs, secretName: string) {
  if (secrets && references) throw new Problem('Invalid', "'secrets' and 'secret_refs' exclude each other")
  if (secrets) return extractSecrets(secrets, secretName)
  return references && extractReferences(references, secretName)
}

function specOf(body: NewDefinition, secretRefs: FreeForm | undefined): ResourceDefinition['spec'] {
  const inputs = inputsOf(body)
  const account = body.driver_account ?? body.account_id
  const { values } = inputs ?? {}
  return {
    type: body.type,
    driverType: body.driver_type,
    displayName: body.name,
    ...(account === undefined ? {} : { accountName: account }),
    ...(inputs
      ? { driverInputs: { ...(values ? { values } : {}), ...(secretRefs ? { secretRefs } : {}) } }
      : {}),
    ...(body.provision ? { provision: fromWire(provisionSchema, body.provision) } : {}),
    ...(body.criteria ? { criteria: body.criteria.map((each) => fromWire(criterionSchema, each)) } : {}),
  }
}

async function createDefinition(
  organization: string,
  body: NewDefinition,
  caller: Caller,
  { cluster, log, checkDriverInputs }: Gateway,
): Promise<ResourceDefinition> {
  refuseMalformed(body)
  const inputs = inputsOf(body) ?? {}
  const secretName = newSecretName(body.id)
  const extracted = secretsOf(inputs, secretName)
  const spec = specOf(body, extracted?.refs)
  const { values } = inputs
  const known = inputs.secrets ? { values, secrets: inputs.secrets } : { values, secretRefs: extracted?.refs }
  checkDriverInputs(body.driver_type, known)
  refuseTaken(cluster.store.get(ResourceDefinition, organization, body.id), `definition '${body.id}'`)
  refuseDuplicates(cluster.store, organization, spec.type, spec.criteria ?? [])
  refuseTooLarge(spec, `definition '${body.id}'`)
  const wanted = newObject(ResourceDefinition, newMetadata(organization, body.id, caller), spec)
  const definition = await cluster.create(ResourceDefinition, wanted)
  const { data = {} } = extracted ?? {}
  if (Object.keys(data).length === 0) return definition
  // The owner comes first, so that a Secret never stays without one.
  await undoing(
    log,
    () => cluster.remove(ResourceDefinition, definition),
    async () => {
      await cluster.createSecret(inputsSecret(definition, secretName, data))
    },
  )
  return definition
}

/** What would become of the resources of a definition if it were not there. */
function changesWithout(
  store: Store,
  { metadata }: ResourceDefinition,
  resources: readonly ActiveResource[],
) {
  const { namespace = '', name } = metadata
  const others = findAll(store, ResourceDefinition, namespace).filter((each) => each.metadata.name !== name)
  const matcher = createMatcher(others)
  return resources.map(({ spec: { context, type, class: resourceClass, resourceId } }) => ({
    app_id: context.applicationId,
    env_id: context.environmentId,
    res_id: resourceId,
    from_def: name,
    to_def:
      matcher.match({ type, class: resourceClass, resourceId, context }).definition?.metadata.name ?? '',
  }))
}

function findDefinition(store: Store, organization: string, id: string): ResourceDefinition {
  const found = find(store, ResourceDefinition, organization, id)
  if (!found) throw new Problem('NotFound', `definition '${id}' not found`)
  return found
}

function endpointsAt(path: 'defs' | 'dynamic', spelling: Spelling): Endpoint[] {
  const tag = 'Resource definitions'
  const note = spelling === 'older' ? ' (older spelling)' : ''
  return [
    endpoint({
      method: 'get',
      path: `/orgs/{org_id}/resources/${path}`,
      summary: `List the resource definitions${note}`,
      tag,
      access: { organization: 'member' },
      responses: { 200: list(definitionShape, 'Resource definitions.') },
      handle({ params: { org_id } }, { cluster: { store } }) {
        return ok(findAll(store, ResourceDefinition, org_id).map((each) => toDefinition(each, spelling)))
      },
    }),
    endpoint({
      method: 'post',
      path: `/orgs/{org_id}/resources/${path}`,
      summary: `Create a resource definition${note}`,
      tag,
      access: { organization: 'administrator' },
      body: newDefinitionShape,
      responses: { 200: definitionShape, 409: errorShape },
      async handle({ params: { org_id }, body, caller }, gateway) {
        const definition = await createDefinition(org_id, body, caller, gateway)
        return ok(toDefinition(definition, spellingOf(body, spelling)))
      },
    }),
    endpoint({
      method: 'get',
      path: `/orgs/{org_id}/resources/${path}/{def_id}`,
      summary: `Get a resource definition${note}`,
      tag,
      access: { organization: 'member' },
      responses: { 200: definitionShape },
      handle: ({ params: { org_id, def_id } }, { cluster: { store } }) =>
        ok(toDefinition(findDefinition(store, org_id, def_id), spelling)),
    }),
    endpoint({
      method: 'delete',
      path: `/orgs/{org_id}/resources/${path}/{def_id}`,
      summary: `Delete a resource definition${note}`,
      tag,
      access: { organization: 'administrator' },
      query: {
        force: oneOf(['true', 'false'], 'Whether it is deleted while resources use it. False when absent.'),
      },
      responses: { 204: undefined, 409: changesShape },
      async handle({ params: { org_id, def_id }, query: { force } }, { cluster }) {
        const definition = findDefinition(cluster.store, org_id, def_id)
        const resources = cluster.store.byIndex(ActiveResource, 'definition', inOrganization(org_id, def_id))
        if (resources.length > 0 && force !== 'true') {
          return { status: 409, body: changesWithout(cluster.store, definition, resources) }
        }
        await cluster.remove(ResourceDefinition, definition)
        return noContent
      },
    }),
  ]
}

/** Resource definitions, in both spellings. */
export const definitions: readonly Endpoint[] = [
  ...endpointsAt('defs', 'current'),
  ...endpointsAt('dynamic', 'older'),
]
