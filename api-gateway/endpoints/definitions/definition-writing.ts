import { newObject } from '../../../operator/api/kind.ts'
import { provisionSchema, ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { sameJson } from '../../../operator/domain/base/json.ts'
import { malformedTexts } from '../../../operator/domain/definition/malformed-texts.ts'
import { problemOfDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import type { Caller } from '../../authenticate.ts'
import type { Gateway } from '../../endpoint.ts'
import { fromWire } from '../../request/wire.ts'
import {
  changeObject,
  currentIfRefused,
  modificationBy,
  unlessShownAlike,
  withModification,
} from '../common/change.ts'
import { newMetadata, refuseTooLarge } from '../common/find.ts'
import {
  addSecret,
  createWithSecret,
  type OwnedSecret,
  refuseTakenUnlessIncomplete,
  withNewSecret,
} from '../common/owned-secret.ts'
import {
  extractReferences,
  extractSecrets,
  keepPlaceholders,
  newSecretName,
  plainSecrets,
  type StoredSecrets,
} from '../common/secret-refs.ts'
import {
  type DefinitionManifest,
  findDefinition,
  refreshConflicting,
  refuseDuplicates,
} from './definition-finding.ts'
import {
  accountOf,
  type Change,
  type ChangedInputs,
  criterionOf,
  inputsOf,
  type NewDefinition,
} from './definition-request.ts'
import { toDefinition } from './definition-shape.ts'

type Spec = ResourceDefinition['spec']

/** A change of a definition, with the Secret that it needs, if any. */
export interface Draft {
  /**
   * Returns the changed definition, without side effects. `before` defaults to its current references. Throws Outdated if
   * the Secret does not fit them.
   */
  apply<T extends DefinitionManifest>(definition: T, before?: FreeForm): T
  readonly secret: OwnedSecret | undefined
}

/** The definition no longer has the texts that it had when the draft was built. */
class Outdated extends Problem {
  constructor(id: string) {
    super('Conflict', `definition '${id}' is being changed by other requests`)
  }
}

/**
 * Builds the definition of a request; throws if it is not valid or its ID or criteria are taken. Only a creation, not a dry
 * run, can complete an incomplete definition, because only the creation of its Secret shows whether it is complete.
 */
export async function newDefinition(
  organization: string,
  body: NewDefinition,
  caller: Caller,
  gateway: Gateway,
  { isDryRun = false } = {},
): Promise<{ definition: DefinitionManifest; secret: Draft['secret'] }> {
  const { id, type, driver_type: driverType, criteria } = body
  const problem = problemOfDescriptor({ type })
  if (problem) throw new Problem('Invalid', problem)
  const { cluster } = gateway
  const { store } = cluster
  const base: Spec = {
    type,
    driverType,
    criteria: criteria?.map(criterionOf),
  }
  const bare = newObject(ResourceDefinition, newMetadata(organization, id, caller), base)
  const { apply, secret } = draftOf(bare, body, gateway)
  const definition = apply(bare)
  await refuseTakenUnlessIncomplete(creationOf(definition, isDryRun ? undefined : secret), cluster)
  const { criteria: wanted = [] } = base
  await refreshConflicting(cluster, definition, wanted)
  refuseDuplicates(store, definition, wanted)
  return { definition, secret }
}

/** Creates a definition and its Secret, or neither. */
export function createDefinition(
  { definition, secret }: Awaited<ReturnType<typeof newDefinition>>,
  gateway: Gateway,
): Promise<ResourceDefinition> {
  return createWithSecret(creationOf(definition, secret), gateway)
}

function shown(definition: ResourceDefinition) {
  return toDefinition(definition, 'current')
}

function creationOf(wanted: DefinitionManifest, secret: OwnedSecret | undefined) {
  return { kind: ResourceDefinition, wanted, secret, what: `definition '${wanted.metadata.name}'` }
}

/**
 * Writes a change of a definition, and builds its draft again if that is outdated. The operator deletes a Secret that is not
 * or no longer referenced.
 */
export async function writeDraft(
  definition: ResourceDefinition,
  draftFor: (definition: ResourceDefinition) => Draft,
  caller: Caller,
  gateway: Pick<Gateway, 'cluster' | 'serverNow'>,
): Promise<ResourceDefinition> {
  try {
    return await writeOnce(definition, draftFor(definition), caller, gateway)
  } catch (error) {
    if (!(error instanceof Outdated)) throw error
    const { namespace, name } = definition.metadata
    const current = findDefinition(gateway.cluster.store, namespace, name)
    return writeOnce(current, draftFor(current), caller, gateway)
  }
}

async function writeOnce(
  definition: ResourceDefinition,
  { apply, secret }: Draft,
  caller: Caller,
  gateway: Pick<Gateway, 'cluster' | 'serverNow'>,
): Promise<ResourceDefinition> {
  const { cluster } = gateway
  const { object: known } = await currentIfRefused(cluster, ResourceDefinition, definition, (each) =>
    apply(each),
  )
  const modification = modificationBy(caller, gateway)
  const secretName = secret?.name ?? newSecretName(definition.metadata.name)
  const announced = secret ? await addSecret(ResourceDefinition, known, secret, gateway) : known
  return changeObject(cluster, ResourceDefinition, announced, (each) => {
    const changed = unlessShownAlike(each, apply(each), shown)
    return withNewSecret(each, withModification(each, changed, modification), secretName)
  })
}

/** Replaces a definition, except for its type, its criteria and an omitted driver type. */
export function replacementOf(known: ResourceDefinition, body: Change, gateway: Gateway): Draft {
  const { apply, ...draft } = draftOf(known, body, gateway, true)
  return {
    ...draft,
    apply(definition) {
      const { type, driverType, criteria, driverInputs } = definition.spec
      const kept = { type, driverType, criteria }
      return apply({ ...definition, spec: kept }, driverInputs?.secretRefs)
    },
  }
}

/** Changes the given fields of a definition; `isWhole` if the other fields are not kept. */
export function draftOf(
  { metadata: { name: id }, spec: { driverInputs: { secretRefs = {} } = {} } }: DefinitionManifest,
  body: Change,
  gateway: Pick<Gateway, 'checkDriverInputs'>,
  isWhole = false,
): Draft {
  const inputs = withoutEmptyPart(inputsOf(body))
  const name = newSecretName(id)
  let last: { readonly stored: FreeForm; readonly secrets: ReturnType<typeof secretsOf> } | undefined
  const extract = (stored: FreeForm) => {
    if (!inputs) return undefined
    if (!last || !sameJson(last.stored, stored))
      last = { stored, secrets: secretsOf(inputs, name, { definition: id, refs: stored }) }
    return last.secrets
  }
  const data = extract(secretRefs)?.data ?? {}
  return {
    secret: Object.keys(data).length > 0 ? { name, data } : undefined,
    apply(definition, before = definition.spec.driverInputs?.secretRefs) {
      const { refs, data: needed = {} } = extract(before ?? {}) ?? {}
      if (!sameJson(needed, data)) throw new Outdated(id)
      const known = refs && before ? keepPlaceholders(refs, before) : refs
      const spec = changedSpec(definition.spec, body, inputs, known)
      if (isWhole || inputs !== undefined || body.provision !== undefined) refuseMalformed(spec)
      // Inputs that are already stored are not checked against a newer version of the driver.
      if (isWhole || inputs !== undefined || body.driver_type !== undefined)
        checkInputs(definition.metadata.namespace, spec, inputs, gateway)
      refuseTooLarge(spec, `definition '${id}'`)
      return { ...definition, spec }
    },
  }
}

function refuseMalformed(spec: Spec): void {
  const messages = malformedTexts(spec).map(({ message }) => message)
  if (messages.length > 0) throw new Problem('Invalid', messages.join('; '))
}

/** Drops empty secrets or empty references if the other of the two is given. */
function withoutEmptyPart(inputs: ChangedInputs | null | undefined): ChangedInputs | null | undefined {
  if (!inputs?.secrets || !inputs.secret_refs) return inputs
  const { secrets, secret_refs: references, ...rest } = inputs
  if (Object.keys(references).length === 0) return { ...rest, secrets }
  return Object.keys(secrets).length === 0 ? { ...rest, secret_refs: references } : inputs
}

/** Returns the new references: null removes them, undefined keeps them. */
function secretsOf({ secrets, secret_refs: references }: ChangedInputs, name: string, stored: StoredSecrets) {
  if (secrets && references) throw new Problem('Invalid', "'secrets' and 'secret_refs' cannot be combined")
  if (secrets) return extractSecrets(secrets, name)
  if (references) return extractReferences(references, name, stored)
  return secrets === null || references === null ? { refs: null, data: {} } : undefined
}

function changedSpec(
  spec: Spec,
  body: Change,
  inputs: ChangedInputs | null | undefined,
  refs: FreeForm | null | undefined,
): Spec {
  const { accountName, driverInputs, provision, ...rest } = spec
  return {
    ...rest,
    displayName: body.name ?? rest.displayName,
    driverType: body.driver_type ?? rest.driverType,
    accountName: changed(accountName, accountOf(body)),
    driverInputs: inputs ? changedInputs(driverInputs, inputs, refs) : changed(driverInputs, inputs),
    provision: changed(provision, body.provision && fromWire(provisionSchema, body.provision)),
  }
}

function changedInputs(
  { values, secretRefs }: Spec['driverInputs'] = {},
  inputs: ChangedInputs,
  refs: FreeForm | null | undefined,
): Spec['driverInputs'] {
  return {
    values: changed(values, inputs.values),
    secretRefs: changed(secretRefs, refs),
  }
}

/** Returns the given value if there is one; null removes the field. */
function changed<T>(before: T | undefined, given: T | null | undefined): T | undefined {
  return given === undefined ? before : (given ?? undefined)
}

function checkInputs(
  organization: string,
  { driverType, driverInputs: { values, secretRefs } = {} }: Spec,
  inputs: ChangedInputs | null | undefined,
  { checkDriverInputs }: Pick<Gateway, 'checkDriverInputs'>,
): void {
  const given = inputs?.secrets ?? (inputs?.secret_refs ? plainSecrets(inputs.secret_refs) : undefined)
  checkDriverInputs(organization, driverType, given ? { values, secrets: given } : { values, secretRefs })
}
