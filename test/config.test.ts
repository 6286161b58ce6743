import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../operator/config.ts'

describe('QUARTERMASTER_LOG_LEVEL', () => {
  test.each(['error', 'warn', 'info', 'debug'])('may be %s', (level) => {
    expect(readConfig({ QUARTERMASTER_LOG_LEVEL: level }).logLevel).toBe(level)
  })

  test.each([{}, { QUARTERMASTER_LOG_LEVEL: '' }])('is info when it is not said: %j', (environment) => {
    expect(readConfig(environment).logLevel).toBe('info')
  })

  test.each(['verbose', 'INFO', 'warning', 'toString', 'debug '])('is refused as %j, by name', (level) => {
    expect(() => readConfig({ QUARTERMASTER_LOG_LEVEL: level })).toThrow('QUARTERMASTER_LOG_LEVEL')
  })
})

describe('QUARTERMASTER_ORGANIZATION_QUOTA', () => {
  const limits = (text?: string) =>
    readConfig(text === undefined ? {} : { QUARTERMASTER_ORGANIZATION_QUOTA: text }).organizationQuota

  test.each<[string | undefined, object]>([
    [undefined, {}],
    ['', {}],
    ['webhooks=5', { 'count/webhooks.quartermaster.dev': 5 }],
    [
      ' activeresources=20000 , secrets=0,',
      { 'count/activeresources.quartermaster.dev': 20_000, 'count/secrets': 0 },
    ],
  ])('%j gives these limits', (text, expected) => {
    expect(limits(text)).toEqual(expected)
  })

  test.each(['pods=5', 'webhook=5', 'webhooks', 'webhooks=', 'webhooks=-1', 'webhooks=5k', 'webhooks=1=2'])(
    'is refused as %j, by name',
    (text) => {
      expect(() => limits(text)).toThrow(`QUARTERMASTER_ORGANIZATION_QUOTA must list limits`)
    },
  )
})

describe('the address of the API server in a pod', () => {
  const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }

  test.each<[rule: string, environment: object, address: string | undefined]>([
    ['is that of its environment', pod, 'https://10.0.0.1:443'],
    ['may be of IPv6', { ...pod, KUBERNETES_SERVICE_HOST: 'fd00::1' }, 'https://[fd00::1]:443'],
    ['is absent elsewhere', {}, undefined],
    ['does not count where KUBECONFIG names another', { ...pod, KUBECONFIG: '/config' }, undefined],
  ])('%s', (_, environment, address) => {
    expect(readConfig({ ...environment }).podApiServer).toBe(address)
  })
})
