import { ActiveResource } from '../api/active-resource.ts'
import { DeploymentSet } from '../api/deployment-set.ts'
import type { Environment } from '../api/environment.ts'
import type { StoredObject } from '../api/kind.ts'
import { ResourceAccount } from '../api/resource-account.ts'
import { ResourceDefinition } from '../api/resource-definition.ts'
import { ResourceDriver } from '../api/resource-driver.ts'
import { ResourceType } from '../api/resource-type.ts'
import { SharedValue } from '../api/shared-value.ts'
import { isPresent } from '../domain/base/object-problem.ts'
import { createOrganizationMatcher } from '../domain/definition/built-in-definitions.ts'
import type { Matcher } from '../domain/definition/matching.ts'
import { catalogueWith } from '../domain/definition/third-party.ts'
import { emptySet, type SetContent } from '../domain/delta/delta.ts'
import { sharedValuesFor } from '../domain/graph/shared-values.ts'
import { failedPlan, type Plan, type PlanInput, plan } from '../domain/plan/plan.ts'
import { builtInTypes } from '../domain/resource/built-in-types.ts'
import type { DriverDescriptor } from '../domain/resource/driver.ts'
import { contextOf } from '../domain/resource/identity.ts'
import { resolveOverride } from '../domain/resource/override.ts'
import type { ResourceTypeInfo } from '../domain/resource/type-info.ts'
import { customType } from '../domain/resource/types.ts'
import { scoped } from '../kube/cache/kinds-in-store.ts'
import type { Store } from '../kube/cache/store.ts'
import type { Log } from '../log.ts'
import { createMemo, isSameSpec } from './memo.ts'
import { createOwners, type Owners } from './owners.ts'

/** Reads the input of plans from a store. Both processes use it, so that a preview sees the same as a deployment. */
export interface Planning extends Owners {
  /** The input of a plan of this set in this environment. It trusts every resource. */
  inputFor(environment: Environment, set: SetContent): PlanInput
  /** The plan of this set in this environment. Never throws: an exception becomes a problem of the plan. */
  planFor(environment: Environment, set: SetContent, options?: PlanOptions): Plan
  matcherOf(organization: string): Matcher
  /** Built-in types and the types of the organization. */
  typesOf(organization: string): readonly ResourceTypeInfo[]
  /** The type that a type name in the needs of a workload refers to: an override, or the name itself. */
  expandType(organization: string, type: string): string
  /** Descriptors of the built-in drivers and the custom drivers of the organization. */
  catalogueOf(organization: string): readonly DriverDescriptor[]
  /** Type of an account; undefined when the account does not exist. */
  accountTypeOf(organization: string, name: string): string | undefined
  /** The last planned set of an environment, empty before the first deployment; undefined while the set is missing. */
  deployedSet(environment: Environment): SetContent | undefined
}

/** Options of a plan. */
export type PlanOptions = Partial<Pick<PlanInput, 'isTrusted' | 'isFull'>>

/** Creates the planning for a store and a catalogue of drivers. */
export function createPlanning(
  store: Store,
  rules: {
    readonly catalogue: readonly DriverDescriptor[]
    readonly vendors: readonly string[]
    readonly log: Log
  },
): Planning {
  const matchers = createMemo(store.cacheOf(ResourceDefinition), byOrganization, (organization) =>
    createOrganizationMatcher(store.list(ResourceDefinition, organization)),
  )
  const types = createMemo(store.cacheOf(ResourceType), byOrganization, (organization) => [
    ...builtInTypes,
    ...store.list(ResourceType, organization).filter(isPresent).map(customType),
  ])
  const catalogues = createMemo(store.cacheOf(ResourceDriver), byOrganization, (organization) => {
    const own = store.list(ResourceDriver, organization).filter(isPresent)
    return own.length === 0 ? rules.catalogue : catalogueWith(rules.catalogue, own, rules.vendors)
  })
  function inputFor(environment: Environment, set: SetContent): PlanInput {
    const { namespace, name } = environment.metadata
    const context = contextOf(environment)
    const values = store.byIndex(SharedValue, 'application', scoped(environment, context.applicationId))
    return {
      vendors: rules.vendors,
      catalogue: catalogues(namespace),
      context,
      environmentName: name,
      set,
      matcher: matchers(namespace),
      types: types(namespace),
      values: sharedValuesFor(values, context.environmentId),
      accountTypeOf: (account) => accountTypeOf(namespace, account),
      active: store.byIndex(ActiveResource, 'environment', scoped(environment, name)),
      quotas: store.quotas.inNamespace(namespace),
      isTrusted: () => true,
    }
  }

  function tryPlan(environment: Environment, set: SetContent, options: PlanOptions): Plan {
    try {
      return plan({ ...inputFor(environment, set), ...options })
    } catch (error) {
      return failedPlan(error)
    }
  }

  function accountTypeOf(organization: string, name: string): string | undefined {
    const account = store.get(ResourceAccount, organization, name)
    return isPresent(account) ? account.spec.type : undefined
  }

  function expandType(organizationId: string, type: string): string {
    return resolveOverride(type, {
      organizationId,
      isType: (name) => types(organizationId).some((each) => each.type === name),
      hasDefinitionOf: (name) => matchers(organizationId).hasDefinitionOf(name),
    })
  }

  return {
    ...createOwners(store, {
      expandType,
      versionOf: (organization) => [types(organization), matchers(organization)],
    }),
    matcherOf: matchers,
    typesOf: types,
    expandType,
    catalogueOf: catalogues,
    accountTypeOf,
    inputFor,
    planFor(environment, set, options = {}) {
      const planned = tryPlan(environment, set, options)
      const { namespace, name } = environment.metadata
      for (const error of planned.errors)
        rules.log.error('a part of a plan failed', { organization: namespace, environment: name, error })
      return planned
    },
    deployedSet(environment) {
      const { setName } = environment.status?.lastPlanned ?? {}
      if (setName === undefined) return emptySet
      return store.get(DeploymentSet, environment.metadata.namespace, setName)?.spec
    },
  }
}

/** One value for each organization, until an object in it says something else. */
const byOrganization = {
  keysOf: ({ metadata }: StoredObject) => [metadata.namespace ?? ''],
  isSame: isSameSpec,
}
