import { expect, test } from '@jest/globals'
import { findHumanUser } from '../../../api-gateway/sign-in/oidc-user.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway(() => {
  gateway.addUser('ada', { email: 'ada@example.test' })
  gateway.addUser('kim', { email: 'kim@example.test' })
  gateway.addUser('blank', { email: '' })
  gateway.addUser('lin', { email: ' lin@example.test\n' })
  gateway.addUser('grace', { email: 'shared@example.test' })
  gateway.addUser('alan', { email: 'Shared@example.test' })
  gateway.addUser('robot', { type: 'service', organizationName: 'acme', email: 'robot@example.test' })
})

test.each<[what: string, claim: string, claims: object, user: string | undefined]>([
  ['a verified address', 'email', { email: 'Ada@example.test', email_verified: true }, 'ada'],
  [
    'an address that a text verifies',
    'email',
    { email: 'ada@example.test', email_verified: 'true' },
    undefined,
  ],
  ['an address without that', 'email', { email: 'ada@example.test' }, undefined],
  [
    'an address that a user has with blanks',
    'email',
    { email: 'lin@example.test', email_verified: true },
    'lin',
  ],
  ['an address of blanks', 'email', { email: ' ', email_verified: true }, undefined],
  ['an empty address', 'email', { email: '', email_verified: true }, undefined],
  ['an address that is no text', 'email', { email: ['ada@example.test'], email_verified: true }, undefined],
  ['an address of two users', 'email', { email: 'shared@example.test', email_verified: true }, undefined],
  [
    'an address whose first letter is the Kelvin sign',
    'email',
    { email: '\u212aim@example.test', email_verified: true },
    undefined,
  ],
  [
    'the address of a service user',
    'email',
    { email: 'robot@example.test', email_verified: true },
    undefined,
  ],
  ['the name of a user', 'sub', { sub: 'ada' }, 'ada'],
  ['the name of a service user', 'sub', { sub: 'robot' }, undefined],
  ['the name of nothing', 'sub', { sub: 'x' }, undefined],
  ['another spelling of it', 'sub', { sub: 'Ada' }, undefined],
  ['the address where the name counts', 'sub', { sub: 'ada@example.test', email_verified: true }, undefined],
])('a person whom the identity provider gives %s', (_, claim, claims, user) => {
  const find = () => findHumanUser(claim, { ...claims }, gateway.cluster.store).metadata.name
  if (user === undefined) expect(find).toThrow(expect.objectContaining({ reason: 'Forbidden' }))
  else expect(find()).toBe(user)
})
