import { apiVersion } from './names.ts'
import { reasonField } from './reasons/reasons.ts'
import { integer, isAtomic, list, object, oneOf, type Static, string, type TSchema, time } from './schema.ts'

/** Metadata of an object to write: the parts that Quartermaster reads. */
export interface ObjectMeta {
  readonly name: string
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  /** Only present in live reads; the cache strips it. */
  readonly managedFields?: readonly ManagedFields[]
}

/** The fields that a manager of fields owns. */
export interface ManagedFields {
  readonly manager?: string
  /** `Apply` or `Update`. */
  readonly operation?: string
  readonly subresource?: string
  readonly time?: string
  readonly fieldsV1?: Readonly<Record<string, unknown>>
}

/** The owner of an object, in the same namespace. */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** Metadata of an object of a namespaced kind. */
export interface NamespacedMeta extends ObjectMeta {
  readonly namespace: string
}

/** Metadata as the API server returns it. */
export interface StoredMeta extends ObjectMeta {
  readonly uid: string
  readonly resourceVersion: string
  readonly creationTimestamp: string
}

/** Any object of the Kubernetes API. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: unknown
}

/** Any object as the API server returns it. */
export interface StoredObject extends KubeObject {
  readonly metadata: StoredMeta
}

/** A condition, as kstatus reads it. */
export const conditionSchema = object(
  {
    type: string(
      'Type of the condition: `Ready`, and while they are true `Reconciling`, `Stalled`, `Unused`, `Warning` or `AlreadyRan`.',
      { maxLength: 63 },
    ),
    status: oneOf(['True', 'False', 'Unknown'], 'Whether the condition holds.'),
    reason: reasonField,
    message: string('Human-readable message. The same problem gives the same text.', { maxLength: 32_768 }),
    lastTransitionTime: time('Time at which `status` last changed.'),
  },
  { observedGeneration: integer('Generation of the spec that the condition is about.') },
  'A condition of the object.',
)
export type Condition = Static<typeof conditionSchema>

/** Status fields of all kinds that have a status. */
export interface CommonStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
}

const commonStatusFields = {
  observedGeneration: integer(
    'Generation of the spec that the status is about. -1 before the first reconcile.',
  ),
  conditions: list(conditionSchema, 'Current conditions of the object.', { key: 'type', maxItems: 16 }),
}

/** Transition time of the condition that the schema gives to a new object: no transition has happened. */
export const beforeAnyTransition = '1970-01-01T00:00:00Z'

const pendingStatus = {
  observedGeneration: -1,
  conditions: [
    {
      type: 'Ready',
      status: 'Unknown',
      reason: 'Pending',
      message: 'waiting for the operator',
      lastTransitionTime: beforeAnyTransition,
    },
  ],
}

/** A column that `kubectl get` prints. */
export interface Column {
  readonly name: string
  readonly jsonPath: string
  readonly type?: 'string' | 'integer' | 'date' | 'boolean'
  readonly priority?: number
}

/** A rule in CEL over the whole object. */
export interface ObjectRule {
  readonly rule: string
  readonly message: string
  /** Whether the rule also applies to new objects, for which `oldSelf` has no value. */
  readonly optionalOldSelf?: true
}

/** The rule that these required fields of the spec keep their values. */
export function fixedFields(...names: readonly string[]): ObjectRule {
  return {
    rule: names.map((name) => `self.spec.${name} == oldSelf.spec.${name}`).join(' && '),
    message: `${names.join(' and ')} cannot be changed`,
  }
}

/** A rule of names that earlier versions did not have. It would refuse each update of an object that has another name. */
export function forNewObjects({ rule, message }: ObjectRule): ObjectRule {
  return { rule: `oldSelf.hasValue() || (${rule})`, message, optionalOldSelf: true }
}

/** The declaration of a kind, from which the CRD, types, validation and OpenAPI schemas are generated. */
export interface Kind<S extends TSchema = TSchema, T extends TSchema = TSchema> {
  readonly kind: string
  readonly plural: string
  readonly shortName: string
  readonly description: string
  /** Whether `kubectl get quartermaster` lists the objects. */
  readonly inCategory: boolean
  readonly spec: S
  readonly status: T | undefined
  readonly columns: readonly Column[]
  readonly rules: readonly ObjectRule[]
  /** JSON paths of the fields that a field selector can name. */
  readonly selectableFields: readonly string[]
}

/** Whether only the operator writes the specs of a kind, which therefore are one value. */
export function hasOneWriter({ spec }: Kind): boolean {
  return isAtomic(spec)
}

/** An object of a Quartermaster kind to write. All these kinds are namespaced. */
export interface Manifest<K extends Kind> extends KubeObject {
  readonly metadata: NamespacedMeta
  readonly spec: Static<K['spec']>
}

/** An object of a Quartermaster kind as the API server returns it. */
export interface ObjectOf<K extends Kind> extends Manifest<K> {
  readonly metadata: NamespacedMeta & StoredMeta
  readonly status?: StatusOf<K>
}

/** The status of a kind with the common fields. */
export type StatusOf<K extends Kind> =
  K extends Kind<TSchema, infer T> ? (T extends TSchema ? Static<T> & CommonStatus : CommonStatus) : never

const readyColumns: readonly Column[] = [
  { name: 'Ready', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Reason', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
]
const ageColumn: Column = { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' }

/** Declares a kind. `status` holds its own status fields; kinds that no controller acts on have none. */
export function defineKind<S extends TSchema, T extends TSchema>(declaration: {
  kind: string
  plural: string
  shortName: string
  description: string
  inCategory?: boolean
  spec: S
  status?: T
  columns?: readonly Column[]
  rules?: readonly ObjectRule[]
  selectableFields?: readonly string[]
}): Kind<S, T> {
  const { status, columns = [], rules = [], selectableFields = [], inCategory = true } = declaration
  return {
    ...declaration,
    inCategory,
    status: status && withCommonStatus(status),
    columns: [...columns, ...(status ? readyColumns : []), ageColumn],
    rules,
    selectableFields,
  }
}

function withCommonStatus<T extends TSchema>(status: T): T {
  const { properties } = status as unknown as { properties: Record<string, unknown> } // an object schema by construction
  return { ...status, default: pendingStatus, properties: { ...commonStatusFields, ...properties } }
}

/** A new object of a Quartermaster kind, without status. */
export function newObject<K extends Kind>(
  kind: K,
  metadata: NamespacedMeta,
  spec: Static<K['spec']>,
): Manifest<K> {
  return { apiVersion, kind: kind.kind, metadata, spec } // the API server sets the default status
}
