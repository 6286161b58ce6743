import { describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import { type Plan, plan } from '../../../operator/domain/plan/plan.ts'
import { type Preview, previewChange } from '../../../operator/domain/plan/preview.ts'
import { formatDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import { activeResource, definition, set } from '../../support/builders.ts'
import { graphInput } from '../../support/graphs.ts'

const shared = set({}, { main: { type: 's3' } })

function planOf(
  content: SetContent,
  definitions: readonly ResourceDefinition[],
  active: readonly ActiveResource[] = [],
): Plan {
  const accountTypeOf = () => 'cloudflare'
  const input = { ...graphInput(content, definitions), accountTypeOf }
  return plan({ ...input, environmentName: 'shop.dev', active, quotas: [], isTrusted: () => true })
}

/** The resources as an operator writes them after the plan. */
function carriedOut({ steps }: Plan): ActiveResource[] {
  return steps.flatMap(({ wanted }) => (wanted ? [activeResource(wanted, wanted)] : []))
}

function preview(
  content: SetContent,
  before: readonly ResourceDefinition[],
  after: readonly ResourceDefinition[],
  active = carriedOut(planOf(content, before)),
): Preview {
  return previewChange(planOf(content, before, active), planOf(content, after, active))
}

function lines({ changes }: Preview): string[] {
  return changes.map((each) =>
    [
      `${each.action} ${formatDescriptor(each.descriptor)}`,
      `${each.fromDefinition}>${each.toDefinition}`,
      ...each.changedInputs,
    ].join(' '),
  )
}

const s3 = definition('s3', 's3', { driverInputs: { values: { region: 'a', tags: { x: 1 } } } })
const edited = definition('s3', 's3', { driverInputs: { values: { region: 'b', tags: { x: 1, y: 2 } } } })
const other = definition('other', 's3', { driverInputs: s3.spec.driverInputs, criteria: [{ appId: 'shop' }] })
const withSecret = (secret: string) =>
  definition('s3', 's3', { driverInputs: { secretRefs: { token: { secret, key: 'token' } } } })
const dns = (zone: string) =>
  definition('dns', 'dns', {
    driverType: 'quartermaster/dns-cloudflare',
    accountName: 'cloud',
    driverInputs: { values: { zone_id: zone } },
  })

describe('the effect of a change of definitions', () => {
  test.each<[string, SetContent, ResourceDefinition[], ResourceDefinition[], string[]]>([
    ['nothing changed', shared, [s3], [s3], []],
    ['a definition that nothing uses', shared, [s3, dns('a')], [s3], []],
    [
      'inputs edited: their paths, never a value',
      shared,
      [s3],
      [edited],
      ['update s3.default#shared.main s3>s3 driver_inputs.values.region driver_inputs.values.tags.y'],
    ],
    [
      'a secret is changed as one',
      shared,
      [withSecret('old')],
      [withSecret('new')],
      ['update s3.default#shared.main s3>s3 driver_inputs.secret_refs.token'],
    ],
    ['a better definition is added', shared, [s3], [s3, other], ['update s3.default#shared.main s3>other']],
    [
      'the definition is deleted, and another one matches',
      shared,
      [s3, other],
      [s3],
      ['update s3.default#shared.main other>s3'],
    ],
    [
      'the definition is deleted, and none matches',
      shared,
      [s3],
      [],
      ['unchanged s3.default#shared.main s3>'],
    ],
    [
      'an input that forces a replacement',
      set({}, { main: { type: 'dns' } }),
      [dns('a')],
      [dns('b')],
      ['replace dns.default#shared.main dns>dns driver_inputs.values.zone_id'],
    ],
    [
      'another resource is needed, and its user waits for it',
      shared,
      [s3, definition('config', 'config')],
      [
        definition('s3', 's3', {
          driverInputs: { values: { region: '${resources.config.outputs.region}' } },
        }),
        definition('config', 'config'),
      ],
      [
        'create config.default#shared.main >config',
        'update s3.default#shared.main s3>s3 driver_inputs.values.region driver_inputs.values.tags.x depends_on',
      ],
    ],
    [
      'a resource is needed no more',
      shared,
      [definition('s3', 's3', { provision: { config: {} } }), definition('config', 'config')],
      [definition('s3', 's3'), definition('config', 'config')],
      ['retain config.default#shared.main config>'],
    ],
    [
      'the override type starts to apply',
      shared,
      [s3],
      [s3, definition('own', 'acme/s3')],
      ['create acme/s3.default#shared.main >own', 'retain s3.default#shared.main s3>'],
    ],
  ])('%s', (_, content, before, after, expected) => {
    expect(lines(preview(content, before, after))).toEqual(expected)
  })

  test('changes that are pending anyway are not part of it', () => {
    const active = carriedOut(planOf(shared, [s3]))
    expect(lines(preview(shared, [edited], [edited], active))).toEqual([])
    expect(lines(preview(shared, [edited], [s3], active))).toEqual(['unchanged s3.default#shared.main s3>s3'])
  })

  test('a problem is listed once for the environment and with its resource, and only when it is new', () => {
    const { changes, problems } = preview(shared, [s3], [])
    expect(problems).toMatchObject([{ object: 's3.default#shared.main', reason: 'NoMatchingDefinition' }])
    expect(changes.map((each) => each.problems)).toEqual([problems])
    const both = set({}, { main: { type: 's3' }, name: { type: 'dns' } })
    expect(preview(both, [s3], [edited]).problems).toEqual([])
  })
})
