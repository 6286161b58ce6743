import { hash } from 'node:crypto'
import type { DefinitionSnapshot } from '../../../operator/api/active-resource.ts'
import type { Manifest } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import {
  type Criterion,
  criterionSchema,
  provisionSchema,
  type ResourceDefinition,
} from '../../../operator/api/resource-definition.ts'
import { boolean, type FreeForm, freeForm, list, object, string, time } from '../../../operator/api/schema.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { criterionId, normalizeCriterion } from '../../../operator/domain/definition/criterion.ts'
import { memoize } from '../../request/memoize.ts'
import { toWire, wireSchema } from '../../request/wire.ts'
import { named } from '../../response/shapes.ts'
import { statusMessageField, statusMessageOf } from '../active-resources/status-message.ts'
import { createdAt, createdBy } from '../common/find.ts'
import { toReferences } from '../common/secret-refs.ts'
import type { FieldNaming } from './definition-request.ts'

const inputsResponse = object(
  {},
  {
    values: freeForm('Inputs that are not secret.'),
    secret_refs: freeForm('References to the secret inputs; each leaf is `{store, ref, version}`.'),
  },
  'Driver inputs.',
)

/** Criterion in responses. */
export const criterionShape = object(
  { id: string('Criterion ID.'), class: string('Resource class.') },
  {
    env_type: string('Environment type.'),
    app_id: string('Application ID.'),
    env_id: string('Environment ID.'),
    res_id: string('Resource ID.'),
  },
  'A matching criterion.',
)

/** Definition in responses. */
export const definitionShape = named(
  'ResourceDefinition',
  object(
    {
      org_id: string('Organization ID.'),
      id: string('Definition ID.'),
      name: string('Display name.'),
      type: string('Resource type.'),
      driver_type: string('Driver type.'),
      created_at: time('Time when it was created.'),
      created_by: string(
        'ID of the user who created it through the REST API. Empty if it was created in another way.',
      ),
      is_default: boolean('Whether it is built in.'),
      is_deleted: boolean('Whether it is deleted and only resources that it provisioned remain.'),
      in_place_driver_change: boolean('Always false.'),
      active_version_id: string('Hash of the driver, its account and its inputs.'),
      current_version_id: string('Same as `active_version_id`.'),
    },
    {
      driver_account: string('ID of the account that the driver uses.'),
      account_id: string('Legacy name of `driver_account`.'),
      driver_inputs: inputsResponse,
      driver_params: inputsResponse,
      provision: wireSchema(provisionSchema),
      criteria: list(criterionShape, 'Matching criteria.'),
      updated_at: time('Time when it was last changed through the REST API. Absent if it never was.'),
      updated_by: string('ID of the user who last changed it through the REST API. Absent if it never was.'),
      ...statusMessageField,
    },
    'A resource definition.',
  ),
)

/** Converts a definition for a response. */
export function toDefinition(
  definition: Manifest<typeof ResourceDefinition>,
  naming: FieldNaming,
  isDeleted = false,
) {
  const { metadata, spec } = definition
  const { accountName, driverInputs, provision, criteria } = spec
  const version = versionId(spec)
  const updatedAt = metadata.annotations?.[annotations.lastModifiedAt]
  const updatedBy = metadata.annotations?.[annotations.lastModifiedBy]
  const [accountKey, inputsKey] =
    naming === 'legacy' ? ['account_id', 'driver_params'] : ['driver_account', 'driver_inputs']
  return {
    org_id: metadata.namespace,
    id: metadata.name,
    name: spec.displayName ?? metadata.name,
    type: spec.type,
    driver_type: spec.driverType,
    created_at: createdAt(definition),
    created_by: createdBy(definition),
    is_default: false,
    is_deleted: isDeleted,
    in_place_driver_change: false,
    active_version_id: version,
    current_version_id: version,
    [accountKey]: accountName,
    [inputsKey]: driverInputs && toInputs(driverInputs, metadata.name),
    provision: provision && toProvision(provision),
    criteria: criteria?.map(toCriterion),
    updated_at: updatedAt,
    updated_by: updatedBy,
    ...statusMessageOf(definition),
  }
}

/** Converts the driver inputs of a definition for a response. */
export function toInputs(
  { values, secretRefs }: { values?: FreeForm; secretRefs?: FreeForm },
  definition: string,
) {
  return {
    values,
    secret_refs: secretRefs && toReferences(secretRefs, definition),
  }
}

function toProvision(provision: NonNullable<ResourceDefinition['spec']['provision']>) {
  const entries = Object.entries(toWire(provisionSchema, provision))
  return Object.fromEntries(entries.map(([key, each]) => [key, { is_dependent: false, ...each }]))
}

/** Converts a criterion for a response. */
export function toCriterion(criterion: Criterion) {
  return { id: criterionId(criterion), ...toWire(criterionSchema, normalizeCriterion(criterion)) }
}

type Provisioning = Pick<DefinitionSnapshot, 'driverType' | 'accountName' | 'driverInputs'>

/** Returns a hash of the fields that affect provisioning, in the form of a UUID. */
export const versionId = memoize(({ driverType, accountName, driverInputs }: Provisioning): string => {
  const digest = hash('sha256', canonicalJson({ driverType, accountName, driverInputs }))
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    digest.slice(12, 16),
    digest.slice(16, 20),
    digest.slice(20, 32),
  ]
  return parts.join('-')
})
