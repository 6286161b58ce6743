import { hash } from 'node:crypto'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { labels } from '../../../operator/api/names.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { Webhook } from '../../../operator/api/webhook.ts'
import { tokenOf } from '../gateway/rest-client.ts'
import { valuesIn } from '../outside/maker.ts'
import { createCustom } from './customs.ts'
import { definitionName, definitionOf, typesOf } from './definitions.ts'
import {
  account,
  applicationOf,
  applications,
  credentials,
  environments,
  environmentType,
  guest,
  idOf,
  kubectlWebhook,
  manager,
  overrideType,
  place,
  webhookHeader,
} from './names.ts'
import type { User } from './user.ts'

/** What the installation has before the operator starts. */
export function createInstallation(user: User): void {
  for (const name of ['kube-system', 'quartermaster-system']) user.create('Namespace', name, {})
  createOrganization(user)
  const system = 'quartermaster-system'
  user.create('Secret', 'quartermaster-installation', { stringData: { key: 'k'.repeat(32) } }, {}, system)
  user.create('Secret', 'quartermaster-session-key', { stringData: { 'key.pem': 'x' } }, {}, system)
  user.create('User', 'admin', { type: 'human', displayName: 'A' }, {}, system)
  if (user.features.gateways) createTokens(user, system)
}

/** The users of the gateway, and their tokens. */
function createTokens(user: User, system: string): void {
  for (const name of [manager, guest]) user.create('User', name, { type: 'human' }, {}, system)
  for (const name of ['admin', manager, guest]) {
    const sha256 = hash('sha256', tokenOf(name))
    user.create('AccessToken', name, { userName: name, sha256 }, {}, system)
  }
}

export function createOrganization(user: User): void {
  const { organization } = user
  user.create('Namespace', organization, {}, { labels: { [labels.organization]: organization } })
  if (!user.features.gateways) return
  user.create('Membership', 'admin', { role: 'administrator' })
  user.create('Membership', manager, { role: 'manager' })
  user.create('Membership', guest, { role: 'member' })
}

/** Creates what a run deploys with, as far as it does not exist; with `isHealthy`, no definition is refused by its driver. */
export function createMissing(user: User, isHealthy = false): void {
  const { features } = user
  const missing = (kind: string, name: string, create: () => void) => {
    if (!user.exists(kind, name)) user.does(`creates ${kind} ${name}`, create)
  }
  const write = (kind: string, name: string, spec: object) =>
    missing(kind, name, () => user.create(kind, name, { ...spec }))
  write('EnvironmentType', environmentType, {})
  for (const name of applications) write('Application', name, {})
  if (features.places) missing('Namespace', place, () => openPlace(user))
  for (const name of environments)
    write('Environment', name, { applicationName: applicationOf(name), typeName: environmentType })
  if (features.webhooks)
    for (const name of applications) write('Webhook', kubectlWebhook + name, webhookOf(name))
  for (const name of [...credentials, 'acct-1']) missing('Secret', name, () => user.createSecret(name))
  write('ResourceAccount', account, { type: 'maker', credentialsSecretName: 'acct-1' })
  if (features.custom) createCustom(user, isHealthy)
  for (const type of typesOf(user)) createDefinition(user, type, isHealthy)
  if (user.exists('ResourceDefinition', definitionName(overrideType)))
    createDefinition(user, overrideType, isHealthy)
  for (const name of applications)
    write('SharedValue', `${name}-color`, { applicationName: name, key: 'color', value: 'red' })
}

/** Rules that deploy new versions of images, in some of the environments. */
export function createRules(user: User): void {
  for (const name of environments.filter(() => user.chance(0.6)))
    user.create('AutomationRule', ruleName(name), ruleSpec(name))
}

export const ruleName = (environment: string) => `rule-${environment.replace('.', '-')}`
export const ruleSpec = (environment: string) => ({
  applicationName: applicationOf(environment),
  environmentId: idOf(environment),
})

/** Creates the namespace of the administrator, in which the organization may have objects. */
export function openPlace(user: User): void {
  user.create('Namespace', place, {}, { labels: { [labels.accepts]: user.organization } })
}

function createDefinition(user: User, type: string, isHealthy: boolean): void {
  const name = definitionName(type)
  const current = user.find(ResourceDefinition, name)
  if (current && !(isHealthy && valuesIn(current.spec.driverInputs).refuse)) return
  user.does(`writes ${name}`, () =>
    user.write('ResourceDefinition', name, definitionOf(user, type, isHealthy)),
  )
}

/** Deletes the resources that no workload uses. */
export function removeUnused(user: User): void {
  for (const { metadata, spec } of user.all(ActiveResource))
    if (spec.unusedSince !== undefined)
      user.does(`deletes ${metadata.name}`, () => user.remove('ActiveResource', metadata.name))
}

/** Deletes or disables some of the webhooks that were made over REST, before the last deployments. */
export function endWebhooks(user: User): void {
  for (const { metadata } of user
    .all(Webhook)
    .filter((each) => !each.metadata.name.startsWith(kubectlWebhook))) {
    const { name } = metadata
    if (user.chance(0.3)) user.does(`deletes Webhook ${name}`, () => user.remove('Webhook', name))
    else if (user.chance(0.5))
      user.does(`disables Webhook ${name}`, () => user.patch('Webhook', name, { spec: { disabled: true } }))
  }
  for (const application of applications.filter(() => user.chance(0.5))) {
    const name = `off-${application}`
    const spec = { ...webhookOf(application), headers: { [webhookHeader]: name }, disabled: true }
    user.does(`creates Webhook ${name}`, () => user.create('Webhook', name, spec))
  }
}

function webhookOf(application: string) {
  const payload = Object.fromEntries(
    ['event', 'org_id', 'deploy_id', 'status', 'triggered_at'].map((name) => [name, `\${${name}}`]),
  )
  const headers = { [webhookHeader]: kubectlWebhook + application }
  return { applicationName: application, url: 'hooks.example.com/x', headers, payload }
}
