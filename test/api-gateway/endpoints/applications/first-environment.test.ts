import { describe, expect, test } from '@jest/globals'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway()

describe('a new application of a manager', () => {
  test.each<[string, string[], object, number, string[] | undefined]>([
    ['the default environment for a deployer of it', ['development'], {}, 201, ['development']],
    ['no environment for a manager who may not make it', [], {}, 201, []],
    ['none either for the deployer of another type', ['production'], {}, 201, []],
    [
      'nothing at all when the environment asked for is one that the manager may not make',
      ['production'],
      { env: { id: 'one', name: 'One', type: 'development' } },
      403,
      undefined,
    ],
  ])('has %s', async (_, types, more, status, environments) => {
    gateway.addUser('max')
    const environmentTypes = types.map((type) => ({
      environmentTypeName: type,
      role: 'deployer' as const,
    }))
    gateway.addMember('acme', 'max', { role: 'manager', environmentTypes })
    const answer = await gateway.send('POST /orgs/acme/apps', {
      as: 'max',
      body: { id: 'shop', name: 'The shop', ...more },
    })
    expect([answer.status, answer.body.envs?.map(({ id }: { id: string }) => id)]).toEqual([
      status,
      environments,
    ])
  })
})
