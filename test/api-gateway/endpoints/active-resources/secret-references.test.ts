import { expect, test } from '@jest/globals'
import { addEnvironment, addResource } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const secretOf = (name: string) => ({ store: 'kubernetes', ref: `some-outputs/${name}` })

test.each<[rule: string, status: object, expected: object]>([
  ['no outputs: no references', {}, {}],
  ['plain outputs alone: no references', { outputs: { host: 'db' } }, {}],
  [
    'each secret output has a reference of the form that definitions take',
    { outputs: { host: 'db' }, outputsSecretName: 'some-outputs', secretOutputPaths: ['/password', '/user'] },
    { password: secretOf('password'), user: secretOf('user') },
  ],
  [
    'an object output has one reference, even when only a part is secret',
    { outputsSecretName: 'some-outputs', secretOutputPaths: ['/login/password', '/login/user'] },
    { login: secretOf('login') },
  ],
  [
    'names are as the outputs have them',
    { outputsSecretName: 'some-outputs', secretOutputPaths: ['/tls.key', '/a~1b', '/__proto__'] },
    JSON.parse(
      JSON.stringify({ 'tls.key': secretOf('tls.key'), 'a/b': secretOf('a/b') }).replace(
        /\}$/,
        `,"__proto__":${JSON.stringify(secretOf('__proto__'))}}`,
      ),
    ) as object, // a name that a literal would not define
  ],
  [
    'a former secret output that is absent now has none',
    { outputs: {}, secretOutputPaths: ['/password'] },
    {},
  ],
])('%s', async (_, status, expected) => {
  addResource(gateway, { type: 'postgres' }, { status })
  const { body } = await gateway.send('GET /orgs/acme/apps/shop/envs/development/resources')
  expect(JSON.stringify(body[0].secret_refs)).toBe(JSON.stringify(expected))
})
