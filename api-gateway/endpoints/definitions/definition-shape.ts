import { createHash } from 'node:crypto'
import type { DefinitionSnapshot } from '../../../operator/api/active-resource.ts'
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
import { statusMessageField, statusMessageOf } from '../active-resources/why.ts'
import { createdAt, createdBy } from '../common/find.ts'
import { toReferences } from '../common/secret-refs.ts'
import type { Spelling } from './definition-request.ts'

const inputsResponse = object(
  {},
  {
    values: freeForm('Inputs that are not secret.'),
    secret_refs: freeForm('Where the secret inputs are: each leaf `{store, ref, version}`.'),
  },
  'Inputs of the driver.',
)

/** A criterion as REST shows it. */
export const criterionShape = object(
  { id: string('Id of the criterion.'), class: string('Resource class.') },
  {
    env_type: string('Environment type.'),
    app_id: string('Application id.'),
    env_id: string('Environment id.'),
    res_id: string('Resource ID.'),
  },
  'One criterion.',
)

/** A definition as REST shows it. */
export const definitionShape = named(
  'ResourceDefinition',
  object(
    {
      org_id: string('Organization id.'),
      id: string('Definition id.'),
      name: string('Name for people.'),
      type: string('Resource type.'),
      driver_type: string('Driver.'),
      created_at: time('When it was made.'),
      created_by: string('User id of who made it; empty when it was not made over REST.'),
      is_default: boolean('Whether it is built in.'),
      is_deleted: boolean('Whether it is deleted, and only resources that it provisioned are left.'),
      in_place_driver_change: boolean('Always false.'),
      active_version_id: string('Changes with the content.'),
      current_version_id: string('The same.'),
    },
    {
      driver_account: string('Account.'),
      account_id: string('Older spelling of `driver_account`.'),
      driver_inputs: inputsResponse,
      driver_params: inputsResponse,
      provision: wireSchema(provisionSchema),
      criteria: list(criterionShape, 'Contexts that it is for.'),
      updated_at: time('When it was last changed over REST; absent when it never was.'),
      updated_by: string('User id of who changed it over REST last; absent when nobody did.'),
      ...statusMessageField,
    },
    'A resource definition.',
  ),
)

/** A definition in the shape of REST: what was sent comes back, and nothing that was not. */
export function toDefinition(definition: ResourceDefinition, spelling: Spelling, isDeleted = false) {
  const { metadata, spec } = definition
  const { accountName, driverInputs, provision, criteria } = spec
  const version = versionId(spec)
  const updatedAt = metadata.annotations?.[annotations.lastModifiedAt]
  const updatedBy = metadata.annotations?.[annotations.lastModifiedBy]
  const [accountKey, inputsKey] =
    spelling === 'older' ? ['account_id', 'driver_params'] : ['driver_account', 'driver_inputs']
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
    ...(accountName === undefined ? {} : { [accountKey]: accountName }),
    ...(driverInputs === undefined ? {} : { [inputsKey]: toInputs(driverInputs, metadata.name) }),
    ...(provision === undefined ? {} : { provision: toProvision(provision) }),
    ...(criteria === undefined ? {} : { criteria: criteria.map(toCriterion) }),
    ...(updatedAt === undefined ? {} : { updated_at: updatedAt }),
    ...(updatedBy === undefined ? {} : { updated_by: updatedBy }),
    ...statusMessageOf(definition),
  }
}

function toInputs({ values, secretRefs }: { values?: FreeForm; secretRefs?: FreeForm }, definition: string) {
  return {
    ...(values === undefined ? {} : { values }),
    ...(secretRefs === undefined ? {} : { secret_refs: toReferences(secretRefs, definition) }),
  }
}

function toProvision(provision: NonNullable<ResourceDefinition['spec']['provision']>) {
  const entries = Object.entries(toWire(provisionSchema, provision))
  return Object.fromEntries(entries.map(([key, each]) => [key, { is_dependent: false, ...each }]))
}

/** A criterion in the shape of REST. */
export function toCriterion(criterion: Criterion) {
  return { id: criterionId(criterion), ...toWire(criterionSchema, normalizeCriterion(criterion)) }
}

type Provisioning = Pick<DefinitionSnapshot, 'driverType' | 'accountName' | 'driverInputs'>

/** Id of what a definition says about provisioning: equal content, equal id, whenever it was looked at. */
export const versionId = memoize(({ driverType, accountName, driverInputs }: Provisioning): string => {
  const hash = createHash('sha256')
    .update(canonicalJson({ driverType, accountName, driverInputs }))
    .digest('hex')
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    hash.slice(12, 16),
    hash.slice(16, 20),
    hash.slice(20, 32),
  ]
  return parts.join('-')
})
