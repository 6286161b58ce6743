import { hash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { problemsOfInputs } from '../../../operator/domain/definition/definition.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'
import type {
  DeprovisionRequest,
  Driver,
  Provisioned,
  ProvisionRequest,
} from '../../../operator/drivers/driver.ts'
import { openDrivers } from '../../../operator/drivers/drivers.ts'
import { context } from '../../support/builders.ts'

/** Settings of the rendering of modules. */
export const moduleSettings = {
  vendors: ['quartermaster', 'humanitec'],
  hash: (value: unknown) => hash('sha256', canonicalJson(value)),
}

/** A request for a resource of `context()` without any inputs. */
export function provisionRequest(type: string, changes: Partial<ProvisionRequest> = {}): ProvisionRequest {
  return {
    guResId: 'a'.repeat(40),
    context: context(),
    type,
    class: 'default',
    resourceId: `shared.${type}`,
    namespace: 'acme--shop--dev',
    signal: new AbortController().signal,
    values: {},
    secrets: {},
    params: {},
    neighbours: {},
    ...changes,
  }
}

const marker = 'MARK-OF-A-SECRET'

/**
 * The contract of every driver with its caller. `makeRequest` returns valid requests that use all features of the
 * driver, each time a new one; `refused` are plain inputs that break its schema.
 */
export function driverContract(
  driver: Driver,
  makeRequest: (changes?: Partial<ProvisionRequest>) => ProvisionRequest,
  refused: readonly (readonly [rule: string, values: FreeForm])[] = [],
): void {
  const { descriptor } = driver

  describe(`contract of the driver '${descriptor.name}'`, () => {
    test('it is in both lists', async () => {
      const { builtIn, close } = openDrivers({
        installationId: '01234567',
        loadbalancer: undefined,
        cloudflareUrl: undefined,
        outbound: { request: async () => ({ status: 500, headers: {}, text: '' }), close: async () => {} },
        ingressDeniedAnnotations: undefined,
        ingressAllowedAnnotations: [],
        ...moduleSettings,
      })
      await close()
      expect(builtIn.map((each) => each.descriptor)).toContain(descriptor)
      expect(catalogue).toContain(descriptor)
    })

    test('a provision repeated gives the same, and leaves its request as it is', async () => {
      const request = deepFreeze(makeRequest())
      expect(await driver.provision(request)).toEqual(await driver.provision(request))
    })

    test('a provision after an interrupted one gives the same as the first would have', async () => {
      const expected = await driver.provision(makeRequest())
      const aborting = new AbortController()
      const interrupted = driver.provision(makeRequest({ signal: aborting.signal })).catch(() => {})
      aborting.abort()
      expect(await driver.provision(makeRequest())).toEqual(expected)
      await interrupted
    })

    test('deprovision needs only the recorded state, and succeeds for deleted objects', async () => {
      await driver.provision(makeRequest())
      const identity = (await driver.identify?.(makeRequest())) ?? {}
      const remembered: FreeForm = JSON.parse(JSON.stringify(identity))
      for (const each of [remembered, remembered, {}])
        await driver.deprovision(deprovisionRequest(makeRequest(), each))
    })

    test('plain outputs, objects and the recorded state contain no secret', async () => {
      const { secrets } = makeRequest()
      const marked = { extra: marker, ...(markLeaves(secrets) as FreeForm) } // leaves keep the shape
      const request = makeRequest({ secrets: marked })
      const { outputs, objects } = await driver.provision(request)
      const identity = await driver.identify?.(request)
      const seen = objects.filter(({ kind }) => kind !== 'Secret')
      expect(JSON.stringify([outputs.values, seen, identity])).not.toContain(marker)
    })

    test('outputs are plain JSON without nulls', async () => {
      const { outputs } = await driver.provision(makeRequest())
      expect(JSON.parse(JSON.stringify(outputs))).toEqual(outputs)
      expect(leavesOf(outputs)).not.toContain(null)
      expect(leavesOf(outputs)).not.toContain(undefined)
    })

    test('each object has the GUResID in its name, and no other object has that name', async () => {
      const { objects } = await driver.provision(makeRequest())
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      expect(new Set(names).size).toBe(names.length)
      for (const { metadata } of objects) {
        expect(metadata.name).toContain(makeRequest().guResId)
        expect(metadata.name).toMatch(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/)
      }
      const other = await driver.provision(makeRequest({ guResId: 'b'.repeat(40) }))
      expect(namesOf(other).filter((name) => namesOf({ objects }).includes(name))).toEqual([])
    })

    test('its own example fits its schema', () => {
      expect(problemsOfInputs(descriptor, makeRequest())).toEqual([])
    })

    if (refused.length === 0) return
    test.each(refused)('inputs are refused: %s', (_, values) => {
      expect(problemsOfInputs(descriptor, makeRequest({ values }))).toHaveLength(1)
    })
  })
}

function deprovisionRequest(request: ProvisionRequest, identity: FreeForm): DeprovisionRequest {
  const { guResId, type, class: resourceClass, resourceId, signal } = request
  return { guResId, context: request.context, type, class: resourceClass, resourceId, signal, identity }
}

function namesOf({ objects }: Pick<Provisioned, 'objects'>): string[] {
  return objects.map(({ metadata }) => metadata.name)
}

function markLeaves(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(markLeaves)
  if (typeof value !== 'object' || value === null) return `${marker}-${String(value)}`
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, markLeaves(each)]))
}

function leavesOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  return Object.values(value).flatMap(leavesOf)
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof AbortSignal) return value
  Object.values(value).forEach(deepFreeze)
  return Object.freeze(value)
}
