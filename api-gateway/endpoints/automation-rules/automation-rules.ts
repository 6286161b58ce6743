import { randomBytes } from 'node:crypto'
import { AutomationRule } from '../../../operator/api/automation-rule.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { list } from '../../../operator/api/schema.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { authorize, type Caller } from '../../authenticate.ts'
import { created, type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { Missing } from '../../request/missing.ts'
import { errorShape } from '../../response/shapes.ts'
import {
  changeObject,
  modificationBy,
  removeObject,
  unlessShownAlike,
  withModification,
} from '../common/change.ts'
import { type EnvironmentPath, find, findEnvironment, newMetadata, organizationKey } from '../common/find.ts'
import { ageOf, listEndpoint } from '../common/list-endpoint.ts'
import { createIn, targetEnvironment } from '../common/target.ts'
import { ruleRequestShape, ruleShape, ruleSpec, toRule } from './automation-rule-shape.ts'

const tag = 'Automation rules'
const rulesPath = '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/rules'
const rulePath = '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/rules/{rule_id}'
const idBytes = 8

/** Throws Forbidden unless the caller may deploy to the environment in the path, as a rule does. */
function authorizeDeploying(store: Store, path: EnvironmentPath, caller: Caller): void {
  const environment = findEnvironment(store, path)
  const target = { applicationId: path.app_id, environmentType: environment.spec.typeName }
  authorize(caller, { application: 'developer', deployer: true }, target)
}

function findRule(store: Store, path: EnvironmentPath & { readonly rule_id: string }): AutomationRule {
  findEnvironment(store, path)
  const rule = find(store, AutomationRule, path.org_id, path.rule_id)
  if (rule?.spec.applicationName === path.app_id && rule.spec.environmentId === path.env_id) return rule
  throw new Missing(AutomationRule, path.org_id, path.rule_id, `rule '${path.rule_id}' not found`)
}

/** Automation rules of an environment. */
export const automationRules: readonly Endpoint[] = [
  listEndpoint({
    path: rulesPath,
    summary: 'List the automation rules of an environment',
    tag,
    access: { application: 'viewer' },
    response: list(ruleShape, 'Rules.'),
    find({ params }, { cluster: { store } }) {
      const { name } = findEnvironment(store, params).metadata
      return store
        .byIndex(AutomationRule, 'environment', organizationKey(params.org_id, name))
        .filter(({ metadata }) => !metadata.deletionTimestamp)
    },
    positionOf: ageOf,
    show: toRule,
  }),
  endpoint({
    method: 'post',
    path: rulesPath,
    summary: 'Create an automation rule, which applies to versions that are registered from now on',
    tag,
    access: { application: 'developer', deployer: true },
    body: ruleRequestShape,
    responses: { 201: ruleShape, 409: errorShape },
    async handle({ params, body, caller }, gateway) {
      const { store } = gateway.cluster
      authorizeDeploying(store, params, caller)
      const target = targetEnvironment(store, params)
      const spec = ruleSpec({ applicationName: params.app_id, environmentId: params.env_id }, body)
      const name = randomBytes(idBytes).toString('hex')
      const rule = newObject(AutomationRule, newMetadata(params.org_id, name, caller), spec)
      return created(toRule(await createIn(gateway, target, AutomationRule, rule)))
    },
  }),
  endpoint({
    method: 'get',
    path: rulePath,
    summary: 'Get an automation rule',
    tag,
    access: { application: 'viewer' },
    responses: { 200: ruleShape },
    handle: ({ params }, { cluster: { store } }) => ok(toRule(findRule(store, params))),
  }),
  endpoint({
    method: 'put',
    path: rulePath,
    summary: 'Replace an automation rule; it applies to versions that are registered from now on',
    tag,
    access: { application: 'developer', deployer: true },
    body: ruleRequestShape,
    responses: { 200: ruleShape, 409: errorShape },
    async handle({ params, body, caller }, gateway) {
      const { cluster } = gateway
      authorizeDeploying(cluster.store, params, caller)
      const rule = findRule(cluster.store, params)
      const spec = ruleSpec({ applicationName: params.app_id, environmentId: params.env_id }, body)
      const modification = modificationBy(caller, gateway)
      const changed = await changeObject(cluster, AutomationRule, rule, (current) => {
        const wanted = unlessShownAlike(current, { ...current, spec }, toRule)
        return withModification(current, wanted, modification)
      })
      return ok(toRule(changed))
    },
  }),
  endpoint({
    method: 'delete',
    path: rulePath,
    summary: 'Delete an automation rule',
    tag,
    access: { application: 'developer', deployer: true },
    responses: { 204: undefined },
    async handle({ params, caller }, { cluster }) {
      authorizeDeploying(cluster.store, params, caller)
      await removeObject(cluster, AutomationRule, findRule(cluster.store, params))
      return noContent
    },
  }),
]
