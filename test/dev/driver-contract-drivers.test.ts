import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { cases } from '../../dev/driver-contract/cases.ts'
import { contractInputs, type Json, loadInputs } from '../../dev/driver-contract/inputs.ts'
import { startFakeCloudflare } from '../../dev/fake-cloudflare/server.ts'
import { createDnsCloudflare } from '../../operator/drivers/dns-cloudflare/driver.ts'
import { createDnsWildcard } from '../../operator/drivers/dns-wildcard/driver.ts'
import type { Driver } from '../../operator/drivers/driver.ts'
import { echo } from '../../operator/drivers/echo/driver.ts'
import { ingress } from '../../operator/drivers/ingress/driver.ts'
import { createTemplateDriver } from '../../operator/drivers/template/driver.ts'
import { createWorkload } from '../../operator/drivers/workload/driver.ts'
import { createTemplates } from '../../operator/templates/templates.ts'
import { moduleSettings } from '../drivers/support/contract.ts'
import { wildcardCertificate } from '../support/certificates.ts'
import { contractCases, password } from '../support/contract-cases.ts'
import { serveSampleDriver } from '../support/sample-driver.ts'
import { type ServedDriver, serveDriver } from '../support/serve-driver.ts'

const example = join(import.meta.dirname, '..', '..', 'examples', 'driver')

let served: ServedDriver | undefined
afterEach(async () => served?.close())

/** The target of a driver that ends with the test. */
async function start(driver: Promise<ServedDriver>): Promise<string> {
  served = await driver
  return served.target
}

const python = spawnSync('python3', ['--version']).status === 0
;(python ? test : test.skip)('the example in Python passes', async () => {
  const data = mkdtempSync(join(tmpdir(), 'buckets-'))
  const server = spawn(
    'python3',
    [join(example, 'bucket_driver.py'), '--port', '0', '--data', data, '--seconds', '0.1'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  try {
    const [line] = await once(server.stdout, 'data')
    const given = await loadInputs(join(example, 'contract.yaml'))
    expect(await contractCases('failed', String(line).trim(), given)).toEqual([])
    expect(readdirSync(join(data, 'objects'))).toEqual([])
  } finally {
    server.kill()
    rmSync(data, { recursive: true })
  }
})

describe('a driver that keeps the contract passes', () => {
  test('one that takes its time, with all cases tried', async () => {
    expect(await contractCases('ok', await start(serveSampleDriver()))).toEqual(
      cases.map(({ name }) => name).sort(),
    )
  })

  test('one that is done at once', async () => {
    expect(await contractCases('failed', await start(serveSampleDriver({ answersAtOnce: true })))).toEqual([])
  })

  const rules = { http: { '/': { type: 'prefix', name: 'web', port: 8080 } } }
  test.each<[name: string, driver: Driver, given: Json, failing?: string[]]>([
    [
      'echo',
      echo,
      {
        type: 's3',
        driver: { values: { bucket: 'one', size: 1 }, secrets: { key: password } },
        changed: { driver: { values: { bucket: 'two' } } },
      },
    ],
    [
      'ingress',
      ingress,
      {
        type: 'ingress',
        resource: { rules, host: 'shop.example.test' },
        driver: { values: { class: 'nginx' }, secrets: {} },
        changed: { driver: { values: { class: 'traefik' }, secrets: {} } },
        bad: { driver: { values: { api_version: 'v2' }, secrets: {} } },
      },
    ],
    [
      'workload',
      createWorkload(moduleSettings),
      {
        type: 'workload',
        resource: { id: 'api', spec: { containers: { main: { image: 'api:1' } } } },
        driver: { values: {}, secrets: {} },
        changed: { resource: { id: 'api', spec: { containers: { main: { image: 'api:2' } } } } },
      },
      ['manifests'], // its objects have the id of the workload, which is unique in the environment
    ],
  ])('our own: %s', async (_, driver, given, failing = []) => {
    const target = await start(serveDriver(driver))
    expect(await contractCases('failed', target, contractInputs(given))).toEqual(failing)
  })

  test('our own: template', async () => {
    const templates = createTemplates()
    const secret = {
      location: 'namespace',
      data: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: '{{ .id }}-login' },
        stringData: { key: '{{ .driver.secrets.key }}' },
      },
    }
    const given = (size: number): Json => ({
      driver: {
        values: {
          templates: {
            init: 'size: {{ .driver.values.size }}',
            cookie: '{{ .cookie | default (dict "salt" (randAlphaNum 8)) | toJson }}',
            outputs: 'name: {{ .id }}\nsize: {{ .init.size }}',
            manifests: { secret },
          },
          size,
        },
        secrets: { key: password },
      },
    })
    const driver = createTemplateDriver({ templates })
    const inputs = contractInputs({ type: 's3', ...(given(1) as object), changed: given(2) })
    expect(await contractCases('failed', await start(serveDriver(driver)), inputs)).toEqual([])
    await templates.close()
  })

  test('our own: dns-wildcard', async () => {
    const templates = createTemplates()
    const given = {
      type: 'dns',
      driver: { values: { domain: 'example.test', template: 'a-{{ .id | trunc 8 }}' }, secrets: {} },
      changed: { driver: { values: { domain: 'other.test' }, secrets: {} } },
      bad: { driver: { values: { domain: 5 }, secrets: {} } },
    }
    const driver = createDnsWildcard({ templates })
    expect(await contractCases('failed', await start(serveDriver(driver)), contractInputs(given))).toEqual([])
    await templates.close()
  })

  test('our own: dns-cloudflare', async () => {
    const fake = await startFakeCloudflare()
    const { crt, key } = await wildcardCertificate('example.test')
    const given = (ttl: unknown): Json => ({
      driver: {
        values: { zone_id: fake.zoneId, domain: 'example.test', target: '192.0.2.1', ttl },
        secrets: { tls: { 'tls.crt': crt, 'tls.key': key }, account: { token: fake.token } },
      },
    })
    const driver = createDnsCloudflare({
      installationId: '01234567',
      baseUrl: `${fake.url}/client/v4`,
      collectMs: 5,
      settleMs: 100,
      confirmMs: 100,
    })
    const inputs = contractInputs({
      type: 'dns',
      ...(given(1) as object),
      changed: given(120),
      bad: given('long'),
    })
    expect(await contractCases('failed', await start(serveDriver(driver)), inputs)).toEqual([])
    expect(fake.records()).toEqual([])
    await fake.close()
  })
})
