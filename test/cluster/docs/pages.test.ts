import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { startEverything } from '../../../dev/quartermaster.ts'
import { pages } from '../../docs/page.ts'
import { type BlockResult, missingLines, runBlocks, storyOf } from '../../docs/run-page.ts'
import { type Span, startCollector } from '../../tracing/collector.ts'

const directory = await mkdtemp(join(tmpdir(), 'quartermaster-docs-'))
const collector = await startCollector()
const controlPlane = await startControlPlane({ directory })
const { operator, gateway, adminToken } = await startEverything(controlPlane, {
  directory,
  settings: { QUARTERMASTER_LEASE_SECONDS: '60', QUARTERMASTER_TRACING_ENDPOINT: collector.url },
})
afterAll(async () => {
  await Promise.all([operator.stop(), gateway.stop()])
  await Promise.all([controlPlane.stop(), collector.stop()])
})

describe.each(pages)('%s', (page) => {
  const blocks = storyOf(page)
  let results: readonly BlockResult[] = []
  beforeAll(async () => {
    const folder = join(directory, page.replaceAll('/', '-'))
    await mkdir(folder)
    results = await runBlocks(blocks, {
      PATH: [dirname(controlPlane.binaries.kubectl), process.env['PATH']].join(delimiter),
      KUBECONFIG: controlPlane.kubeconfigPath,
      GATEWAY_URL: gateway.url,
      TOKEN: adminToken,
      FOLDER: folder,
    })
  }, 600_000)

  test.each(blocks.map((block, index) => [block.title, { ...block, index }] as const))(
    '%s',
    (_, { language, text, index }) => {
      expect(results[index]?.error).toBeUndefined()
      if (language !== 'text') return
      const { output = '' } = results[index - 1] ?? {}
      expect({ missing: missingLines(text, output), output }).toEqual({ missing: [], output })
    },
  )
})

describe('the traces of the deployments of these pages', () => {
  const ends: Span[] = []
  const childrenOf = (span: Span) =>
    collector.spans.filter(
      ({ traceId, parentSpanId }) => traceId === span.traceId && parentSpanId === span.spanId,
    )
  beforeAll(async () => {
    await eventually('the last spans', 60_000, async () => {
      const found = collector.spans.filter(({ name }) => name === 'deployment')
      ends.splice(0, ends.length, ...found)
      return found.length > 0 || undefined
    })
  })

  test('each deployment has one span, to which all of its work belongs', () => {
    expect(new Set(ends.map(({ spanId }) => spanId)).size).toBe(ends.length)
    for (const end of ends) {
      const names = childrenOf(end).map(({ name }) => name)
      expect(names).toContain('reconcile EnvironmentDeployment')
      if (end.attributes['quartermaster.result'] === 'succeeded')
        expect(names).toContain('reconcile ActiveResource')
    }
    const reconciles = collector.spans.filter(({ name }) => name.startsWith('reconcile '))
    const spans = new Set(ends.map(({ spanId }) => spanId))
    // A deployment that is deleted before it ends has no span.
    const known = reconciles.filter(({ parentSpanId = '' }) => spans.has(parentSpanId))
    expect(known.length).toBeGreaterThan(ends.length)
  })

  test('a deployment over REST is in the trace of its request, and calls of drivers in that of the deployment', () => {
    const request = collector.spans.find(
      ({ name, attributes }) =>
        name.startsWith('POST ') &&
        name.endsWith('/deploys') &&
        attributes['http.response.status_code'] === 201,
    )
    expect(request?.service).toBe('quartermaster-gateway')
    const [deployment] = childrenOf(request as Span) // found, as the service says
    expect(deployment).toMatchObject({ name: 'deployment', service: 'quartermaster-operator' })
    const resources = childrenOf(deployment as Span).filter(({ name }) => name === 'reconcile ActiveResource') // found
    expect(resources.flatMap(childrenOf).map(({ name }) => name)).toContain('provision echo')
    const last = childrenOf(deployment as Span).filter(
      ({ name }) => name === 'reconcile EnvironmentDeployment',
    ) // found
    expect(
      last.some((span) => BigInt(span.endTimeUnixNano) >= BigInt(deployment?.endTimeUnixNano ?? 0)),
    ).toBe(true)
  })

  test('no span has a secret', () => {
    const text = JSON.stringify(collector.spans)
    for (const secret of [adminToken, 'example-only', 'not-to-be-seen']) expect(text).not.toContain(secret)
  })
})
