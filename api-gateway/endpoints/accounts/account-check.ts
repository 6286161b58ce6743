import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { annotations } from '../../../operator/api/names.ts'
import { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { list, object, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { withLock } from '../../../operator/domain/base/keyed-mutex.ts'
import { type Endpoint, endpoint, type Gateway, ok } from '../../endpoint.ts'
import { errorShape, named } from '../../response/shapes.ts'
import { changeObject } from '../common/change.ts'
import { find, inOrganization } from '../common/find.ts'
import { withoutAnnouncement } from '../common/owned-secret.ts'

const answeredWithinMs = 15_000
const lookEveryMs = 50

type Check = NonNullable<NonNullable<ResourceAccount['status']>['check']>

const accountCheckShape = named(
  'AccountCheck',
  object(
    {
      identity_fields: list(
        object(
          {
            id: string('Name of the field.'),
            description: string('Description of the field.'),
            value: string('Value of the field.'),
          },
          {},
          'A field.',
        ),
        'Identity that the credentials belong to, as the provider reports it.',
      ),
    },
    { warnings: list(string('A warning.'), 'Checks that could not be made.') },
    'Result of a successful credential check.',
  ),
)

/** Does what tries or changes the credentials of an account when all that asked before have done so: one is asked at a time. */
export function inAccountTurn<T>(
  { metadata: { namespace = '', name } }: ResourceAccount,
  { accountTurns }: Gateway,
  work: () => Promise<T>,
): Promise<T> {
  return withLock(accountTurns, inOrganization(namespace, name), work)
}

/** A question to the operator: about the credentials in use, or about those of another Secret of the account. */
export function newTrial(secretName?: string): string {
  return secretName === undefined ? randomUUID() : `${randomUUID()}/${secretName}`
}

/** The trial that an account names. */
export function trialOf({ metadata }: ResourceAccount): string | undefined {
  return metadata.annotations?.[annotations.check]
}

/** An account that names no trial, and does not announce what was tried. */
export function withoutTrial(account: ResourceAccount): ResourceAccount {
  const { [annotations.check]: trial, ...others } = account.metadata.annotations ?? {}
  const untried = { ...account, metadata: { ...account.metadata, annotations: others } }
  const [, secretName] = trial?.split('/') ?? []
  return secretName === undefined ? untried : withoutAnnouncement(untried, secretName)
}

/** This very account as it is known. */
export function latestOf({ metadata }: ResourceAccount, { cluster: { store } }: Gateway): ResourceAccount {
  const { namespace = '', name, uid } = metadata
  const latest = store.get(ResourceAccount, namespace, name)
  if (latest && latest.metadata.uid === uid) return latest
  throw new Problem('NotFound', `account '${name}' not found`)
}

/** Refuses to go on with a trial that another gateway put its own in the place of. */
export function refuseOtherTrial(account: ResourceAccount, trial: string): void {
  if (trialOf(account) === trial) return
  throw new Problem('Conflict', `other credentials of account '${account.metadata.name}' are being checked`)
}

/** The operator alone can read credentials: it is asked by an annotation, and answers in the status. */
async function askOperator(account: ResourceAccount, gateway: Gateway, trial: string): Promise<Check> {
  const { name, uid } = account.metadata
  await gateway.cluster.patch(ResourceAccount, account, {
    metadata: { uid, annotations: { [annotations.check]: trial } },
  })
  const deadline = performance.now() + answeredWithinMs
  while (performance.now() < deadline) {
    const latest = latestOf(account, gateway)
    const { check } = latest.status ?? {}
    if (check?.request === trial) return check
    refuseOtherTrial(latest, trial)
    await setTimeout(lookEveryMs)
  }
  throw new Problem('Internal', `the operator did not check the credentials of account '${name}' in time`)
}

/** Refuses credentials that the provider does not accept; what it says of the others. */
export async function tryCredentials(
  account: ResourceAccount,
  gateway: Gateway,
  trial = newTrial(),
): Promise<Check> {
  const check = await askOperator(account, gateway, trial)
  if (check.accepted) return check
  const message = `the credentials of account '${account.metadata.name}' do not work: ${check.message ?? ''}`
  throw new Problem('Invalid', message)
}

/** Ends a trial of another Secret, unless there is another one by now; without a use the Secret goes. */
export async function forgetTrial(account: ResourceAccount, gateway: Gateway, trial: string): Promise<void> {
  await changeObject(gateway.cluster, ResourceAccount, latestOf(account, gateway), (current) =>
    trialOf(current) === trial ? withoutTrial(current) : current,
  )
}

/** The trial of credentials. */
export const accountChecks: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/resources/accounts/{account_id}/actions/check',
    summary: 'Check the credentials of a resource account with the provider',
    tag: 'Resource accounts',
    access: { organization: 'administrator' },
    responses: { 200: accountCheckShape, 409: errorShape },
    async handle({ params: { org_id, account_id } }, gateway) {
      const account = find(gateway.cluster.store, ResourceAccount, org_id, account_id)
      if (!account) throw new Problem('NotFound', `account '${account_id}' not found`)
      const { message, fields = [] } = await inAccountTurn(account, gateway, () =>
        tryCredentials(account, gateway),
      )
      return ok({ identity_fields: fields, ...(message === undefined ? {} : { warnings: [message] }) })
    },
  }),
]
