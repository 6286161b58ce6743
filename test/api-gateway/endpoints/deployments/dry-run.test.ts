import { describe, expect, test } from '@jest/globals'
import { newObject } from '../../../../operator/api/kind.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { emptySetId } from '../../../../operator/domain/delta/delta.ts'
import { addEnvironment, addResource } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const app = '/orgs/acme/apps/shop'
const deploys = `POST ${app}/envs/development/deploys`
const dryRun = `${deploys}?dry_run=true`
const addDns = { shared: [{ op: 'add', path: '/spec/shared/main', value: { type: 'dns' } }] }

function define(changes: Partial<ResourceDefinition['spec']> = {}, name = 'dns-any') {
  const spec = { type: 'dns', driverType: 'quartermaster/echo', criteria: [{}], ...changes }
  gateway.cluster.put(ResourceDefinition, newObject(ResourceDefinition, { namespace: 'acme', name }, spec))
}

async function preview(changes: object = addDns) {
  const delta_id = (await gateway.send(`POST ${app}/deltas`, { body: changes })).body.id
  gateway.cluster.writes.length = 0
  const answer = await gateway.send(dryRun, { body: { delta_id } })
  expect(gateway.cluster.writes).toEqual([])
  return answer
}

describe('the preview of a deployment', () => {
  test('answers 200 with the plan, and writes nothing', async () => {
    define()
    const { status, body } = await preview()
    expect(status).toBe(200)
    expect(body).toEqual({
      base_set_id: emptySetId,
      steps: [
        {
          action: 'create',
          type: 'dns',
          class: 'default',
          res_id: 'shared.main',
          gu_res_id: expect.stringMatching(/^[0-9a-f]{40}$/),
          descriptor: 'dns.default#shared.main',
          def_id: 'dns-any',
          changed_inputs: [],
        },
      ],
      summary: { create: 1, update: 0, replace: 0, retain: 0, unchanged: 0 },
      problems: [],
    })
    expect((await gateway.send(`GET ${app}/envs/development/deploys`)).body).toEqual([])
  })

  test('names changed inputs by path, secret ones too, and shows no value', async () => {
    const before = {
      values: { region: 'old-region' },
      secretRefs: { token: { secret: 'one', key: 'old-key' } },
    }
    const after = {
      values: { region: 'new-region' },
      secretRefs: { token: { secret: 'two', key: 'new-key' } },
    }
    define({ driverInputs: after })
    addResource(
      gateway,
      {},
      {
        spec: {
          definition: { definitionName: 'older', driverType: 'quartermaster/echo', driverInputs: before },
        },
      },
    )
    const { body } = await preview()
    expect(body.steps).toMatchObject([
      {
        action: 'update',
        def_id: 'dns-any',
        from_def: 'older',
        changed_inputs: ['driver_inputs.values.region', 'driver_inputs.secret_refs.token'],
      },
    ])
    expect(JSON.stringify(body)).not.toMatch(/-region|-key|"two"/)
  })

  test.each<[string, () => void, object, string[]]>([
    ['nothing changes', () => addResource(gateway), addDns, ['unchanged ']],
    ['it is no longer used', () => addResource(gateway), {}, ['retain ']],
    [
      'another driver',
      () =>
        addResource(
          gateway,
          {},
          {
            spec: { definition: { definitionName: 'dns-any', driverType: 'quartermaster/ingress' } },
          },
        ),
      addDns,
      ['replace driver_type'],
    ],
    [
      'it is being deleted',
      () =>
        addResource(
          gateway,
          {},
          {
            metadata: { deletionTimestamp: '2026-03-01T00:00:00Z', finalizers: ['x/y'] },
          },
        ),
      addDns,
      ['create '],
    ],
  ])('when %s', async (_, prepare, changes, expected) => {
    define()
    prepare()
    const { body } = await preview(changes)
    const steps = body.steps as { action: string; changed_inputs: string[] }[] // checked by the document
    expect(steps.map((step) => `${step.action} ${step.changed_inputs.join()}`)).toEqual(expected)
  })

  test('shows why it would wait', async () => {
    const { status, body } = await preview()
    expect(status).toBe(200)
    expect(body.problems).toMatchObject([
      { object: 'dns.default#shared.main', reason: 'NoMatchingDefinition', message: expect.any(String) },
    ])
  })

  test('works while another deployment runs', async () => {
    define()
    await gateway.send(deploys, { body: {} })
    expect((await preview()).status).toBe(200)
    expect((await gateway.send(deploys, { body: {} })).status).toBe(409)
  })

  test('of a delta that is not there or does not apply is refused', async () => {
    expect((await gateway.send(dryRun, { body: { delta_id: 'missing' } })).status).toBe(400)
    const update = { missing: [{ op: 'add', path: '/externals/a', value: { type: 's3' } }] }
    expect((await preview({ modules: { update } })).status).toBe(400)
  })

  test('dry_run=false deploys, and another word is refused', async () => {
    expect((await gateway.send(`${deploys}?dry_run=maybe`, { body: {} })).status).toBe(400)
    expect((await gateway.send(`${deploys}?dry_run=false`, { body: {} })).status).toBe(201)
  })
})
