import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../../operator/config.ts'

const gatewayProcess = join(import.meta.dirname, '..', '..', '..', 'api-gateway', 'main.ts')

const enough = {
  QUARTERMASTER_OIDC_ISSUER: 'https://login.example.test/realm',
  QUARTERMASTER_OIDC_CLIENT_ID: 'quartermaster',
  QUARTERMASTER_PUBLIC_URL: 'https://gateway.example.test',
}

describe('the settings of sign-in with an identity provider', () => {
  test('are none without an issuer', () => {
    const { QUARTERMASTER_OIDC_ISSUER: _issuer, ...rest } = enough
    expect(readConfig(rest).oidc).toBeUndefined()
    expect(readConfig({ ...enough, QUARTERMASTER_OIDC_ISSUER: '' }).oidc).toBeUndefined()
  })

  test('have defaults: a public client, found by the e-mail address', () => {
    expect(readConfig(enough).oidc).toEqual({
      issuer: 'https://login.example.test/realm',
      clientId: 'quartermaster',
      claim: 'email',
      scopes: 'openid email',
      publicUrl: 'https://gateway.example.test/',
    })
  })

  test('can all be set', () => {
    const config = readConfig({
      ...enough,
      QUARTERMASTER_OIDC_CLIENT_SECRET_FILE: '/etc/oidc/secret',
      QUARTERMASTER_OIDC_CLAIM: 'sub',
      QUARTERMASTER_OIDC_SCOPES: 'openid profile',
      QUARTERMASTER_PUBLIC_URL: 'https://example.test/base',
    })
    expect(config.oidc).toMatchObject({
      clientSecretFile: '/etc/oidc/secret',
      claim: 'sub',
      scopes: 'openid profile',
      publicUrl: 'https://example.test/base/',
    })
  })

  test.each([
    ['QUARTERMASTER_OIDC_ISSUER', 'http://localhost:9000'],
    ['QUARTERMASTER_OIDC_ISSUER', 'http://127.0.0.1:9000/realm'],
    ['QUARTERMASTER_PUBLIC_URL', 'http://[::1]:8080'],
  ])('%s may be %s, since traffic stays on this machine', (name, value) => {
    expect(() => readConfig({ ...enough, [name]: value })).not.toThrow()
  })

  test.each([
    ['QUARTERMASTER_OIDC_CLIENT_ID', ''],
    ['QUARTERMASTER_PUBLIC_URL', ''],
    ['QUARTERMASTER_PUBLIC_URL', 'http://gateway.example.test'],
    ['QUARTERMASTER_PUBLIC_URL', 'https://user:word@gateway.example.test'],
    ['QUARTERMASTER_PUBLIC_URL', 'https://gateway.example.test/?a=b'],
    ['QUARTERMASTER_OIDC_ISSUER', 'http://login.example.test'],
    ['QUARTERMASTER_OIDC_ISSUER', 'http://localhost.example.test'],
    ['QUARTERMASTER_OIDC_ISSUER', 'login.example.test'],
    ['QUARTERMASTER_OIDC_ISSUER', 'javascript:alert(1)'],
    ['QUARTERMASTER_OIDC_ISSUER', 'https://login.example.test/#a'],
    ['QUARTERMASTER_OIDC_SCOPES', 'email'],
  ])('%s may not be "%s": the process ends with the name of the variable', (name, value) => {
    expect(() => readConfig({ ...enough, [name]: value })).toThrow(name)
  })

  test.each(['/nowhere/secret', '/dev/null'])(
    'QUARTERMASTER_OIDC_CLIENT_SECRET_FILE must have a secret: with %s the process ends with the name of the variable',
    (file) => {
      const env = { ...enough, QUARTERMASTER_OIDC_CLIENT_SECRET_FILE: file }
      const { status, stdout } = spawnSync(process.execPath, [gatewayProcess], { env, encoding: 'utf8' })
      expect([status, stdout]).toEqual([1, expect.stringContaining('QUARTERMASTER_OIDC_CLIENT_SECRET_FILE')])
    },
  )
})
