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

describe('a setting that is a number', () => {
  test.each([
    ['RESYNC_SECONDS', '0'],
    ['RESYNC_SECONDS', ' '],
    ['RESYNC_SECONDS', '31536000'],
    ['RESYNC_SECONDS', 'Infinity'],
    ['LEASE_SECONDS', '0'],
    ['LEASE_SECONDS', ' '],
    ['DRIVER_DEADLINE_SECONDS', '0'],
    ['DEPLOYMENT_TIMEOUT_SECONDS', '0'],
    ['SETTLE_SECONDS', '-1'],
    ['SETTLE_SECONDS', '2147484'],
    ['REQUESTS_PER_SECOND', '0'],
    ['REQUEST_BURST', '0'],
    ['DEPLOYMENT_ATTEMPTS', '0'],
    ['GATEWAY_PORT', '80.5'],
    ['GATEWAY_PORT', '65536'],
    ['HEALTH_PORT', 'http'],
  ])('is refused when it has no meaning, by name: %s=%j', (name, value) => {
    expect(() => readConfig({ [`QUARTERMASTER_${name}`]: value })).toThrow(`QUARTERMASTER_${name} must be`)
  })

  test.each(['WEBHOOK_KEPT_SECONDS', 'WEBHOOK_GIVE_UP_SECONDS'])('may be a month: %s', (name) => {
    expect(() => readConfig({ [`QUARTERMASTER_${name}`]: '2592000' })).not.toThrow()
  })

  test('may be 0 where it says to wait for nothing, to keep nothing, or any port', () => {
    const names = [
      'SETTLE_SECONDS',
      'SCHEDULING_SECONDS',
      'WEBHOOK_KEPT_SECONDS',
      'KEPT_DEPLOYMENTS',
      'HEALTH_PORT',
    ]
    const config = readConfig(Object.fromEntries(names.map((name) => [`QUARTERMASTER_${name}`, '0'])))
    expect(config).toMatchObject({
      settleSeconds: 0,
      schedulingSeconds: 0,
      webhookKeptSeconds: 0,
      keptDeployments: 0,
      healthPort: 0,
    })
  })
})

test('QUARTERMASTER_VENDOR_ALIASES may have blanks between the names', () => {
  expect(readConfig({ QUARTERMASTER_VENDOR_ALIASES: 'humanitec, acme ,' }).vendors).toEqual([
    'quartermaster',
    'humanitec',
    'acme',
  ])
})

describe('a setting that names a host', () => {
  const read = (name: string, value: string) => readConfig({ [`QUARTERMASTER_${name}`]: value })

  test.each([
    ['OUTBOUND_ALLOWED', '10.0.0.0/99'],
    ['OUTBOUND_ALLOWED', '10.96.0.0/12, http://driver'],
    ['CLOUDFLARE_URL', 'foo'],
    ['CLOUDFLARE_URL', 'api.cloudflare.test:443'],
    ['LOADBALANCER', 'a b'],
  ])('is refused when nothing can use it, by name: %s=%j', (name, value) => {
    expect(() => read(name, value)).toThrow(`QUARTERMASTER_${name} must be`)
  })

  test('may be each form that is used', () => {
    const allowed = '10.96.0.0/12, fd00::/8,driver.drivers.svc:8080 ,*.svc.cluster.local'
    expect(read('OUTBOUND_ALLOWED', allowed).outboundAllowed).toHaveLength(4)
    for (const each of ['http://cloudflare-proxy.tools.svc/client/v4', 'https://api.test'])
      expect(read('CLOUDFLARE_URL', each).cloudflareUrl).toBe(each)
    for (const each of ['192.0.2.1', '2001:db8::1', 'lb.example.com', 'LB.example.com.', 'bücher.example'])
      expect(read('LOADBALANCER', each).loadbalancer).toBe(each)
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

describe('QUARTERMASTER_NAMESPACE_LABELS', () => {
  const labels = (text?: string) => readConfig({ QUARTERMASTER_NAMESPACE_LABELS: text }).namespaceLabels

  test.each<[string | undefined, object]>([
    [undefined, {}],
    [
      'pod-security.kubernetes.io/enforce=baseline, mesh=',
      { 'pod-security.kubernetes.io/enforce': 'baseline', mesh: '' },
    ],
  ])('%j gives these labels', (text, expected) => {
    expect(labels(text)).toEqual(expected)
  })

  test.each([
    'mesh',
    '=on',
    'mesh=a b',
    'mesh=a=b',
    'a/b/c=d',
    'quartermaster.dev/accepts=acme',
    'app.kubernetes.io/managed-by=me',
  ])('is refused as %j, by name', (text) => {
    expect(() => labels(text)).toThrow('QUARTERMASTER_NAMESPACE_LABELS must list labels')
  })
})

describe('QUARTERMASTER_TRACING_ENDPOINT', () => {
  const tracing = (endpoint?: string, ratio?: string) =>
    readConfig({ QUARTERMASTER_TRACING_ENDPOINT: endpoint, QUARTERMASTER_TRACING_RATIO: ratio }).tracing

  test('is off by default, and then the ratio has no effect', () => {
    expect([tracing(), tracing(''), tracing('', '0.5')]).toEqual([undefined, undefined, undefined])
  })

  test('is an address, with the ratio 1 unless another one is given', () => {
    expect(tracing('http://collector:4318')).toEqual({ endpoint: 'http://collector:4318', ratio: 1 })
    expect(tracing('https://collector.test/otlp', '0.1')).toMatchObject({ ratio: 0.1 })
  })

  test.each(['collector:4318', 'grpc://collector:4317', 'collector'])(
    'is refused as %j, by name',
    (endpoint) => {
      expect(() => tracing(endpoint)).toThrow('QUARTERMASTER_TRACING_ENDPOINT')
    },
  )

  test.each(['1.5', '-1', 'all'])('a ratio of %j is refused, by name', (ratio) => {
    expect(() => tracing('http://collector:4318', ratio)).toThrow('QUARTERMASTER_TRACING_RATIO')
  })
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

test('a variable that misspells a setting is named, others are not', () => {
  const variables = {
    QUARTERMASTER_LOGLEVEL: 'debug',
    QUARTERMASTER_OUTBOUND_ALOWED: '10.0.0.0/8',
    QUARTERMASTER_OIDC_ISUER: 'https://id.test',
    QUARTERMASTER_ROLLOUT: 'applied',
    QUARTERMASTER_ROLLOUTS: 'wait',
    QUARTERMASTER_SERVICE_HOST: '10.96.0.1',
    UARTERMASTER_IDENTITY: 'a',
  }
  expect(readConfig(variables).misspelt).toEqual([
    "the variable 'QUARTERMASTER_LOGLEVEL' is no setting; did you mean 'QUARTERMASTER_LOG_LEVEL'?",
    "the variable 'QUARTERMASTER_OUTBOUND_ALOWED' is no setting; did you mean 'QUARTERMASTER_OUTBOUND_ALLOWED'?",
    "the variable 'QUARTERMASTER_OIDC_ISUER' is no setting; did you mean 'QUARTERMASTER_OIDC_ISSUER'?",
  ])
  expect(readConfig({}).misspelt).toEqual([])
})
