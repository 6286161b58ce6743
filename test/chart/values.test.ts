import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { runHelm } from '../../dev/helm/helm.ts'
import { kinds } from '../../operator/api/kinds.ts'
import { readConfig } from '../../operator/config.ts'
import { chart, render, systemNamespace, valuesArguments } from './support.ts'

const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'))

async function refusal(...args: readonly string[]): Promise<string> {
  const error: unknown = await runHelm(
    'template',
    'quartermaster',
    chart,
    `--namespace=${systemNamespace}`,
    ...args,
  ).catch((thrown: unknown) => thrown)
  if (typeof error !== 'object' || error === null || !('stderr' in error)) throw new Error('not refused')
  return String(error.stderr)
}

describe('values that are wrong are refused, and the message names them', () => {
  test.each<[string, object, readonly string[]]>([
    ['an unknown value', { replicas: 3 }, ["'replicas'"]],
    ['an unknown value further down', { gateway: { ingres: {} } }, ['/gateway', "'ingres'"]],
    ['no pods', { operator: { replicas: 0 } }, ['/operator/replicas', '1']],
    ['a text for a switch', { crds: { install: 'yes' } }, ['/crds/install', 'boolean']],
    [
      'an unknown setting',
      { settings: { QUARTERMASTER_LOGLEVEL: 'info' } },
      ['/settings', 'QUARTERMASTER_LOGLEVEL'],
    ],
    [
      'a setting of the chart itself',
      { settings: { QUARTERMASTER_IDENTITY: 'me' } },
      ['QUARTERMASTER_IDENTITY'],
    ],
    [
      'a resync without a pause',
      { settings: { QUARTERMASTER_RESYNC_SECONDS: 0 } },
      ['/settings/QUARTERMASTER_RESYNC_SECONDS', '1'],
    ],
    [
      'a blank number',
      { settings: { QUARTERMASTER_LEASE_SECONDS: ' ' } },
      ['/settings/QUARTERMASTER_LEASE_SECONDS', 'pattern'],
    ],
    ['an unknown scope of rights', { rbac: { scope: 'namespace' } }, ['/rbac/scope', 'organizations']],
    ['an invalid digest', { image: { digest: 'sha256:1' } }, ['/image/digest']],
    ['a port beyond the last', { gateway: { service: { port: 70_000 } } }, ['/gateway/service/port', '65']],
    [
      'a limit of an unknown kind',
      { organizationQuota: { limits: { webhook: 5 } } },
      ['/organizationQuota/limits', 'webhook'],
    ],
    [
      'a limit that is no number',
      { organizationQuota: { limits: { webhooks: '5' } } },
      ['/organizationQuota/limits/webhooks'],
    ],
    [
      'a label that the chart reads back',
      { commonLabels: { 'app.kubernetes.io/version': '7.0.0' } },
      ['/commonLabels/app.kubernetes.io~1version'],
    ],
    ['a Secret by name only', { imagePullSecrets: ['registry'] }, ['/imagePullSecrets/0', 'object']],
    ['the name of a vendor', { sample: { name: 'humanitec' } }, ['/sample/name']],
    ['a section without values', { gateway: { ingress: null } }, ['/gateway', "'ingress'"]],
    ['an Ingress without a host', { gateway: { ingress: { enabled: true } } }, ['gateway.ingress.host']],
    [
      'a route without a gateway',
      { gateway: { httpRoute: { enabled: true } } },
      ['gateway.httpRoute.parentRefs'],
    ],
  ])('%s', async (_, values, parts) => {
    const message = await refusal(...valuesArguments(values))
    for (const part of parts) expect(message).toContain(part)
  })

  test('another namespace than the one that policies and roles name', async () => {
    expect(await refusal('--namespace=elsewhere')).toContain("'quartermaster-system', not 'elsewhere'")
  })

  test('an older Kubernetes than 1.33', async () => {
    expect(await refusal('--kube-version=1.32.9')).toContain('>=1.33.0')
  })
})

describe('a null, which a key without a value is too,', () => {
  const defaults = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Values

  test('of a list, a map and a text that are empty by default says the same', async () => {
    expect(await render(nullsFor(defaults))).toEqual(await render())
  })

  test('removes an entry of a map', async () => {
    const values = (entries: object, others: object) => ({
      commonLabels: entries,
      settings: others,
      organizationQuota: { limits: { ...others, applications: 7 } },
      operator: { podAnnotations: entries, podLabels: entries, nodeSelector: entries },
      gateway: {
        service: { annotations: entries },
        ingress: { enabled: true, host: 'a.test', annotations: entries },
        httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], annotations: entries },
      },
      monitoring: { serviceMonitor: true, labels: entries },
    })
    const withNulls = values({ one: null }, {})
    const { settings, organizationQuota } = withNulls
    Object.assign(settings, { QUARTERMASTER_LOG_LEVEL: null })
    Object.assign(organizationQuota.limits, { secrets: null })
    expect(await render(withNulls)).toEqual(await render(values({}, {})))
  })

  test('of any other value is refused', () => {
    const check = new Ajv2020({ strict: false, allErrors: true }).compile(schema)
    expect(check(defaults)).toBe(true)
    const paths = neededIn(defaults)
    expect(paths.length).toBeGreaterThan(40)
    for (const path of paths) {
      check(without(defaults, path))
      expect((check.errors ?? []).map(({ params }) => params['missingProperty'])).toEqual([path.at(-1)])
    }
  })
})

interface Values {
  readonly [name: string]: unknown
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}

/** Null for each value that is empty. */
function nullsFor(values: Values): Values {
  const entries = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    if (isEmpty(value)) return [[name, null]]
    return isValues(value) ? [[name, nullsFor(value)]] : []
  })
  return Object.fromEntries(entries)
}

/** Maps of users: each may be null, and have any of its entries or none. */
const ofUsers = new Set(['resources', 'limits'])

/** Paths of the values that are not empty. */
function neededIn(values: Values): string[][] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (isEmpty(value) || ofUsers.has(name)) return []
    const below = isValues(value) ? neededIn(value).map((path) => [name, ...path]) : []
    return [[name], ...below]
  })
}

function without(values: Values, [name = '', ...rest]: readonly string[]): Values {
  const { [name]: value, ...others } = values
  return isValues(value) && rest.length > 0 ? { ...others, [name]: without(value, rest) } : others
}

test('the schema knows the settings of the documentation, but for those that the chart sets itself', () => {
  const bySchema = Object.keys(schema.properties.settings.properties)
  const ofTheChart = [
    'KUBECONFIG',
    'IDENTITY',
    'HEALTH_PORT',
    'HEALTH_HOST',
    'GATEWAY_PORT',
    'TRACING_ENDPOINT',
    'TRACING_RATIO',
    'GATEWAY_HOST',
    'ORGANIZATION_QUOTA',
    'SECRETS_SCOPE',
  ]
  const document = readFileSync(join(chart, '../../docs/settings.md'), 'utf8')
  const documented = document
    .split('\n')
    .filter((line) => line.startsWith('| `QUARTERMASTER_'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(?:QUARTERMASTER|…)_(\w+)`/g)])
    .map(([, name = '']) => name)
  const wanted = documented.filter((name) => ![...ofTheChart, 'OIDC_CLIENT_SECRET_FILE'].includes(name))
  expect(bySchema).toEqual(wanted.map((name) => `QUARTERMASTER_${name}`))
  expect(documented).toEqual(expect.arrayContaining(ofTheChart))
})

test('the schema has the ranges of the settings that are numbers', () => {
  const isRefused = (name: string, value: unknown) => {
    try {
      readConfig({ [name]: String(value) })
      return false
    } catch {
      return true
    }
  }
  const settings: Record<string, { readonly $ref: string }> = schema.properties.settings.properties
  for (const [name, { $ref }] of Object.entries(settings)) {
    const { minimum, maximum } = schema.$defs[$ref.replace('#/$defs/', '')]
    if (minimum === undefined) continue
    const values = [minimum - 0.001, minimum, maximum, maximum + 1]
    expect([name, ...values.map((value) => isRefused(name, value))]).toEqual([name, true, false, false, true])
  }
})

test('the schema knows the kinds of an organization as limits', () => {
  const [pattern = ''] = Object.keys(schema.properties.organizationQuota.properties.limits.patternProperties)
  const ofTheSystem = new Set(['users', 'accesstokens'])
  const plurals = kinds.map(({ plural }) => plural).filter((plural) => !ofTheSystem.has(plural))
  expect(pattern.replaceAll(/[\^$()?:]/g, '').split('|')).toEqual([...plurals, 'secrets'].sort())
})
