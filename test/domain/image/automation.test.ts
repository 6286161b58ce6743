import { expect, test } from '@jest/globals'
import type { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import type { AutomationRule } from '../../../operator/api/automation-rule.ts'
import { type AutomationOutcome, wantedVersions } from '../../../operator/domain/image/automation.ts'

const environmentName = 'shop.dev'

function version(name: string, createdVersion: number, outcome?: AutomationOutcome, spec: object = {}) {
  const target = { environmentName, ruleNames: ['all'], ruleUids: ['rule-1'], outcome }
  return {
    metadata: { namespace: 'acme', name },
    spec: { type: 'container', artefactName: 'r.test/shop/web', ...spec },
    status: { createdVersion: String(createdVersion), environments: [target] },
  } as unknown as ArtefactVersion // the fields that the rule reads
}

function rule(metadata: object = {}) {
  const spec = { applicationName: 'shop', environmentId: 'dev', type: 'update' }
  return { metadata: { name: 'all', uid: 'rule-1', ...metadata }, spec } as unknown as AutomationRule // the same
}

const going = { deletionTimestamp: '2026-01-01T00:00:00Z' }
const older = version('older', 1)

test.each<[what: string, newest: ArtefactVersion, rules: AutomationRule[], expected: string[]]>([
  ['the newest version', version('newest', 2), [rule()], ['newest']],
  ['nothing more once that is deployed', version('newest', 2, 'Deployed'), [rule()], []],
  ['nothing more once that is there already', version('newest', 2, 'Unchanged'), [rule()], []],
  ['the older one when that was archived first', version('newest', 2, 'Archived'), [rule()], ['older']],
  [
    'the older one when that is archived',
    version('newest', 2, undefined, { archived: true }),
    [rule()],
    ['older'],
  ],
  ['nothing of a rule that is being deleted', version('newest', 2), [rule(going)], []],
  ['nothing of a later rule of the name', version('newest', 2), [rule({ uid: 'rule-2' })], []],
])('an environment waits for %s', (_, newest, rules, expected) => {
  for (const versions of [
    [older, newest],
    [newest, older],
  ])
    expect(wantedVersions(versions, environmentName, rules).map(({ metadata }) => metadata.name)).toEqual(
      expected,
    )
})
