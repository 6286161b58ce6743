import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { annotations } from '../../operator/api/names.ts'
import { ResourceAccount } from '../../operator/api/resource-account.ts'
import { list, object, string } from '../../operator/api/schema.ts'
import { Problem } from '../../operator/domain/errors.ts'
import { type Endpoint, endpoint, type Gateway, ok } from '../endpoint.ts'
import { named } from '../shapes.ts'
import { find } from './find.ts'

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
            description: string('What it is.'),
            value: string('Its value.'),
          },
          {},
          'A field.',
        ),
        'Whose credentials they are.',
      ),
    },
    { warnings: list(string('A warning.'), 'What could not be tried.') },
    'Credentials that the provider accepts.',
  ),
)

/**
 * The operator alone can read credentials: it is asked by an annotation, about those in use or about those of another
 * Secret of the account, and answers in the status.
 */
async function askOperator(
  account: ResourceAccount,
  { cluster }: Gateway,
  secretName?: string,
): Promise<Check> {
  const { namespace = '', name, uid } = account.metadata
  const request = secretName === undefined ? randomUUID() : `${randomUUID()}/${secretName}`
  await cluster.patch(ResourceAccount, account, {
    metadata: { uid, annotations: { [annotations.check]: request } },
  })
  const deadline = performance.now() + answeredWithinMs
  while (performance.now() < deadline) {
    const check = cluster.store.get(ResourceAccount, namespace, name)?.status?.check
    if (check?.request === request) return check
    await setTimeout(lookEveryMs)
  }
  throw new Problem('Internal', `the operator did not try the credentials of account '${name}' in time`)
}

/** Refuses credentials that the provider does not accept; what it says of the others. */
export async function tryCredentials(
  account: ResourceAccount,
  gateway: Gateway,
  secretName?: string,
): Promise<Check> {
  const check = await askOperator(account, gateway, secretName)
  if (check.accepted) return check
  const message = `the credentials of account '${account.metadata.name}' do not work: ${check.message ?? ''}`
  throw new Problem('Invalid', message)
}

/** Ends the trial of another Secret; without a use it goes. */
export async function forgetTrial(account: ResourceAccount, { cluster }: Gateway): Promise<void> {
  const { uid } = account.metadata
  await cluster.patch(ResourceAccount, account, {
    metadata: { uid, annotations: { [annotations.check]: null } },
  })
}

/** The trial of credentials. */
export const accountChecks: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/resources/accounts/{account_id}/actions/check',
    summary: 'Ask the provider whether it accepts the credentials of a resource account',
    tag: 'Resource accounts',
    access: { organization: 'administrator' },
    responses: { 200: accountCheckShape },
    async handle({ params: { org_id, account_id } }, gateway) {
      const account = find(gateway.cluster.store, ResourceAccount, org_id, account_id)
      if (!account) throw new Problem('NotFound', `account '${account_id}' not found`)
      const { message, fields = [] } = await tryCredentials(account, gateway)
      return ok({ identity_fields: fields, ...(message === undefined ? {} : { warnings: [message] }) })
    },
  }),
]
