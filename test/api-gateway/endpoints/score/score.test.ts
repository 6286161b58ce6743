import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { toScores } from '../../../../api-gateway/endpoints/score/score-shape.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { scoreDocument } from '../../../support/scores.ts'
import { addEnvironment, finish } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const convert = 'POST /orgs/acme/artefact-versions/convert-score'
const app = '/orgs/acme/apps/shop'
const env = `${app}/envs/development`
const needing = { resources: { cache: { type: 'redis', id: 'cache' }, db: { type: 'postgres' } } }
const spec = scoreDocument({ image: '.', variables: { CACHE: '${resources.cache.host}' } }, needing)

const gateway = await setUpGateway(() => addEnvironment(gateway))

describe('POST …/convert-score', () => {
  test('answers the module and the shared dependencies, with the image', async () => {
    const { status, body } = await gateway.send(convert, { body: { spec, image: 'web:2' } })
    expect([status, body]).toEqual([
      200,
      {
        modules: {
          web: {
            profile: 'quartermaster/default-module',
            spec: {
              containers: {
                main: { id: 'main', image: 'web:2', variables: { CACHE: '${shared.cache.host}' } },
              },
            },
            externals: { db: { type: 'postgres' } },
          },
        },
        shared: { cache: { type: 'redis' } },
      },
    ])
  })

  test('overrides with null remove, aliases rename types, and extensions are merged', async () => {
    const changes = {
      overrides: { resources: { db: null } },
      property_overrides: { 'containers.main.variables.CACHE': 'none' },
      resource_type_aliases: { redis: 'acme/redis' },
      extensions: {
        apiVersion: 'humanitec.org/v1b1',
        profile: 'acme/mine',
        spec: { labels: { a: '$${values.A}' } },
      },
    }
    const { body } = await gateway.send(convert, { body: { spec, ...changes } })
    expect(body).toMatchObject({
      modules: { web: { profile: 'acme/mine', spec: { labels: { a: '${values.A}' } }, externals: {} } },
      shared: { cache: { type: 'acme/redis' } },
    })
    expect(body.modules.web.spec.containers.main.variables).toEqual({ CACHE: 'none' })
  })

  test.each<[string, object, object]>([
    ['neither a document nor a text', {}, {}],
    ['a document and a text', { spec, yaml: 'a: 1' }, {}],
    [
      'a bad document, with the path',
      { spec: { ...spec, containers: {} } },
      { details: { problems: [{ path: 'containers' }] } },
    ],
    [
      'a bad text, with line and column',
      { yaml: 'apiVersion: score.dev/v1b1\nmetadata: {name: web}\ncontainers:\n  main: {image: 1}\n' },
      { details: { problems: [{ path: 'containers.main.image', line: 4, column: 17 }] } },
    ],
  ])('rejects %s', async (_, body, expected) => {
    const answer = await gateway.send(convert, { body })
    expect(answer).toMatchObject({ status: 400, body: expected })
  })
})

describe('POST …/deploys with Score documents', () => {
  test('deploys their workloads beside those that are deployed', async () => {
    const first = await gateway.send(`POST ${env}/deploys`, { body: { score: [{ spec }] } })
    expect(first.status).toBe(201)
    finish(gateway, 'shop.development.1')
    const yaml = 'apiVersion: score.dev/v1b1\nmetadata: {name: other}\ncontainers: {main: {image: a}}\n'
    const { body } = await gateway.send(`POST ${env}/deploys`, { body: { score: [{ yaml }] } })
    const set = await gateway.send(`GET ${app}/sets/${body.set_id}`)
    expect([Object.keys(set.body.modules).sort(), set.body.shared]).toEqual([
      ['other', 'web'],
      { cache: { type: 'redis' } },
    ])
    const shown = await gateway.send(`GET ${app}/sets/${body.set_id}/score`)
    expect(shown.body).toEqual([
      expect.objectContaining({ workload_id: 'other', omitted: [] }),
      {
        workload_id: 'web',
        spec: scoreDocument(
          { image: '.', variables: { CACHE: '${resources.cache.host}' } },
          { resources: { db: { type: 'postgres' }, cache: { type: 'redis', id: 'cache' } } },
        ),
        omitted: [],
      },
    ])
  })

  test.each([
    ['params that agree', 'postgres', 'postgres', [200, 201]],
    ['another type', 'postgres', 'redis', [409, 409]],
    ['the type that an override has', 'acme/postgres', 'postgres', [200, 201]],
  ])(
    'whose shared resource another workload uses are deployed with %s only',
    async (_, known, type, expected) => {
      const metadata = { namespace: 'acme', name: 'own' }
      const definition = { type: 'acme/postgres', driverType: 'quartermaster/echo' }
      gateway.cluster.put(ResourceDefinition, newObject(ResourceDefinition, metadata, definition))
      const params = { extensions: { postgis: {} } }
      const reading = (name: string, resource: object) => ({
        spec: {
          ...scoreDocument({ variables: { HOST: '${resources.db.host}' } }, { resources: { db: resource } }),
          metadata: { name },
        },
      })
      const aliases = { resource_type_aliases: { postgres: known } }
      const first = {
        score: [{ ...reading('orders', { type: 'postgres', id: 'main', params }), ...aliases }],
      }
      await gateway.send(`POST ${env}/deploys`, { body: first })
      finish(gateway, 'shop.development.1')
      const body = { score: [reading('reports', { type, id: 'main' })] }
      const preview = await gateway.send(`POST ${env}/deploys?dry_run=true`, { body })
      const answer = await gateway.send(`POST ${env}/deploys`, { body })
      expect([preview.status, answer.status]).toEqual(expected)
      if (answer.status !== 201) return
      const set = await gateway.send(`GET ${app}/sets/${answer.body.set_id}`)
      expect(set.body.shared).toEqual({ main: { type: known, params } })
    },
  )

  test('shows a module that Score cannot express without a document', async () => {
    const delta = { modules: { add: { bare: { spec: {} } } } }
    const { body: id } = await gateway.send(
      `POST ${app}/sets/78ca0149b7cd436ed7a30633f9516b5a8a7712c984f92a40de0489bf21dfc19a`,
      { body: delta },
    )
    const { body } = await gateway.send(`GET ${app}/sets/${id}/score`)
    expect(body).toEqual([{ workload_id: 'bare', omitted: [] }])
  })

  test('lets other requests run between two modules', async () => {
    let isAnswered = false
    const modules = { a: { spec: {} }, b: { spec: {} } }
    const answer = (async () => {
      await toScores({ modules, shared: {} }, setImmediate)
      isAnswered = true
    })()
    await setImmediate()
    expect(isAnswered).toBe(false)
    await answer
  })

  test.each<[string, object]>([
    ['beside a delta', { score: [{ spec }], delta_id: 'x' }],
    ['beside a set', { score: [{ spec }], set_id: 'x' }],
    ['that describe one workload twice', { score: [{ spec }, { spec }] }],
    ['that are not valid', { score: [{ spec: {} }] }],
  ])('rejects documents %s', async (_, body) => {
    expect((await gateway.send(`POST ${env}/deploys`, { body })).status).toBe(400)
  })
})
