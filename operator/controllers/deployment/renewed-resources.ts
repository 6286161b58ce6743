import type { ActiveResource } from '../../api/active-resource.ts'
import { Registry } from '../../api/registry.ts'
import { valueSecretRefs } from '../../domain/graph/shared-values.ts'
import { secretOfRegistry } from '../../domain/image/pull-secret.ts'
import type { Plan } from '../../domain/plan/plan.ts'
import { namesNamespace } from '../../domain/resource/identity.ts'
import { hasOtherSchemas, type ResourceTypeInfo } from '../../domain/resource/type-info.ts'
import { simpleTypeName, workloadType } from '../../domain/resource/types.ts'
import { secretNamesIn } from '../../domain/secret/secret-names.ts'
import type { Store } from '../../kube/cache/store.ts'
import { hasWrittenSecrets } from '../shared/written-secrets.ts'

/**
 * The existing resources that a deployment reconciles although their specs are unchanged: all of them with `isWhole`, or when the
 * namespace of the environment may change.
 */
export function renewedBy(
  plan: Pick<Plan, 'steps'>,
  {
    isWhole,
    store,
    types,
  }: {
    readonly isWhole: boolean
    readonly store: Store
    readonly types: readonly ResourceTypeInfo[]
  },
): ActiveResource[] {
  const mayMove = plan.steps.some(
    ({ action, descriptor }) => action !== 'unchanged' && namesNamespace(descriptor),
  )
  return isWhole || mayMove ? existingIn(plan.steps) : existingToLookAt(plan, store, types)
}

/** The resources that a plan keeps in use. A new one needs no mark to be provisioned. */
function existingIn(steps: Plan['steps']): ActiveResource[] {
  const existing: ActiveResource[] = []
  for (const { action, wanted, current } of steps)
    if (wanted && current && action !== 'create') existing.push(current)
  return existing
}

/**
 * The resources whose type has other schemas, or that wrote Secrets, which other clients may have changed. A changed one that
 * waits for a dependency has a status of its new spec before it looks. And the unchanged ones whose inputs come from Secrets,
 * which are not watched: each reconcile reads the inputs.
 */
function existingToLookAt(
  { steps }: Pick<Plan, 'steps'>,
  store: Store,
  types: readonly ResourceTypeInfo[],
): ActiveResource[] {
  const existing = existingIn(steps)
  const [first] = existing
  if (!first) return []
  // A plan is of one organization.
  const registries = store.list(Registry, first.metadata.namespace)
  const hasCredentials = registries.some(({ spec }) => secretOfRegistry(spec))
  const typesByName = new Map(types.map((each) => [each.type, each]))
  const unchanged = new Set(existingIn(steps.filter(({ action }) => action === 'unchanged')))
  return existing.filter(
    (each) =>
      hasOtherSchemas(each.status, typesByName.get(each.spec.type)) ||
      hasWrittenSecrets(each) ||
      (unchanged.has(each) && (readsSecrets(each) || (isWorkload(each) && hasCredentials))),
  )
}

function readsSecrets({ spec: { definition, values } }: ActiveResource): boolean {
  if (definition.accountName !== undefined) return true
  const { secretRefs = {} } = definition.driverInputs ?? {}
  return secretNamesIn(secretRefs).length > 0 || Object.keys(valueSecretRefs(values)).length > 0
}

function isWorkload({ spec }: ActiveResource): boolean {
  return simpleTypeName(spec.type) === workloadType
}
