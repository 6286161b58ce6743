import { Application } from '../../api/application.ts'
import { AutomationRule } from '../../api/automation-rule.ts'
import { Environment } from '../../api/environment.ts'
import { problemsFor, problemsOfReference, throwProblems } from '../../domain/base/object-problem.ts'
import { environmentOfRule } from '../../domain/image/automation.ts'
import { isActive, problemsOfRule } from '../../domain/image/automation-rule.ts'
import { versionOf } from '../../kube/cache/cache.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import { keyOf } from '../../kube/client/resource.ts'
import type { Controller } from '../../kube/loop/controller.ts'
import { watchLifecycle } from '../shared/watch-lifecycle.ts'

/** The resource version of the last change of a rule; that of any later write until the operator has seen the change. */
export function effectiveVersionOf(rule: AutomationRule): bigint {
  const { effectiveVersion, observedGeneration } = rule.status ?? {}
  const isCurrent = effectiveVersion !== undefined && observedGeneration === rule.metadata.generation
  return isCurrent ? BigInt(effectiveVersion) : versionOf(rule)
}

/** A rule is ready when its environment exists and its patterns are valid. Records when it was changed last. */
export function automationRuleController({ store }: Cluster): Controller<typeof AutomationRule> {
  return {
    kind: AutomationRule,
    watches: [
      watchLifecycle(store.cacheOf(Application), ({ metadata }) =>
        store.byIndex(AutomationRule, 'application', scoped({ metadata }, metadata.name)).map(keyOf),
      ),
      watchLifecycle(store.cacheOf(Environment), (each) =>
        store.byIndex(AutomationRule, 'environment', scoped(each, each.metadata.name)).map(keyOf),
      ),
    ],
    async reconcile(rule) {
      const { metadata, spec } = rule
      const { namespace } = metadata
      const observed = { active: isActive(spec), effectiveVersion: String(effectiveVersionOf(rule)) }
      const name = environmentOfRule(rule)
      const hasApplication = store.get(Application, namespace, spec.applicationName) !== undefined
      const hasEnvironment = store.get(Environment, namespace, name) !== undefined
      const problems = [
        ...problemsFor('InvalidRule', problemsOfRule(spec)),
        ...problemsOfReference(
          'ApplicationNotFound',
          `application '${spec.applicationName}'`,
          hasApplication,
        ),
        ...problemsOfReference('EnvironmentNotFound', `environment '${name}'`, hasEnvironment),
      ]
      throwProblems(problems, observed)
      return observed
    },
  }
}
