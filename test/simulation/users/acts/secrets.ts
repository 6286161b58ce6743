import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { account, credentials } from '../names.ts'
import type { User } from '../user.ts'
import type { Act } from './act.ts'

export const secretActs: readonly Act[] = [
  {
    weight: 2,
    what: 'deletes a Secret, and creates it later',
    act(user) {
      const name = user.pick(credentials)
      user.remove('Secret', name)
      user.later({ from: 20, to: 20_000, times: 3 }, `creates ${name}`, () => user.createSecret(name))
    },
  },
  {
    weight: 1.5,
    what: 'deletes a Secret of outputs',
    act(user) {
      const secret = user.pickOther(
        'Secret',
        ({ metadata }) => metadata.namespace === user.organization && metadata.name.endsWith('-outputs'),
      )
      user.remove('Secret', secret.metadata.name)
    },
  },
  {
    weight: 2,
    what: 'changes a Secret',
    act(user) {
      const name = user.pick([...credentials, 'acct-1'])
      const password = Buffer.from(user.newPassword(name)).toString('base64')
      user.patch('Secret', name, { data: { password } })
    },
  },
  { weight: 1.5, what: 'gives an account new credentials', act: renewAccount },
  {
    weight: 0.7,
    what: 'deletes an account, and creates it later',
    act(user) {
      user.remove('ResourceAccount', account)
      user.later({ from: 100, to: 15_000 }, `creates ${account}`, () => {
        const spec = { type: 'maker', credentialsSecretName: newCredentials(user) }
        user.create('ResourceAccount', account, spec)
      })
    },
  },
]

function newCredentials(user: User): string {
  const name = `acct-${user.next('account') + 1}`
  user.createSecret(name)
  return name
}

function renewAccount(user: User): void {
  const former = user.find(ResourceAccount, account)?.spec.credentialsSecretName
  user.patch('ResourceAccount', account, { spec: { credentialsSecretName: newCredentials(user) } })
  if (former === undefined || user.chance(0.3)) return
  user.later({ from: 1, to: 8000 }, `deletes the former credentials ${former}`, () =>
    user.remove('Secret', former),
  )
}
