import { expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { readModule } from '../../../operator/domain/module/module-problems.ts'
import { SecretText } from '../../../operator/domain/module/secret-text.ts'

const read = (container: FreeForm, more: FreeForm = {}) =>
  readModule({ id: 'api', spec: { containers: { main: { image: 'api:1', ...container } }, ...more } }, [])

const affinity = { nodeAffinity: {} }
const tolerations = [{ key: 'spot', operator: 'Exists', effect: 'NoSchedule' }]
const imagePullSecrets = [{ name: 'registry' }]
const securityContext = { runAsUser: 1000, fsGroup: 1000 }
const secret = new SecretText(['ab'])
const scheduled = (container: FreeForm) => ({
  schedules: { daily: { schedule: '0 4 * * *', containers: { main: container } } },
})

test.each<[what: string, earlier: [FreeForm, FreeForm?], current: [FreeForm, FreeForm?]]>([
  ['fields of pods', [{}, { affinity, imagePullSecrets }], [{}, { pod: { affinity, imagePullSecrets } }]],
  [
    'fields of pods beside the others',
    [{}, { tolerations, pod: { affinity } }],
    [{}, { pod: { tolerations, affinity } }],
  ],
  [
    'security contexts',
    [
      { securityContext: { runAsUser: 1, privileged: false } },
      { securityContext, automountServiceAccountToken: false },
    ],
    [
      { security_context: { runAsUser: 1 } },
      { pod: { securityContext, automountServiceAccountToken: false } },
    ],
  ],
  [
    'variables',
    [
      {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: secret },
        ],
        variables: { C: '3' },
      },
    ],
    [{ variables: { A: '1', B: secret, C: '3' } }],
  ],
  [
    'null, which is absent,',
    [
      {
        env: [{ name: 'A', value: null, valueFrom: null }],
        securityContext: null,
        security_context: { runAsUser: 1 },
      },
      { affinity: null, tolerations: null, pod: { tolerations } },
    ],
    [{ variables: { A: '' }, security_context: { runAsUser: 1 } }, { pod: { tolerations } }],
  ],
  [
    'placeholders for whole fields',
    [{ securityContext: '${externals.s.c}' }, { tolerations: '${externals.s.t}' }],
    [{ security_context: '${externals.s.c}' }, { pod: { tolerations: '${externals.s.t}' } }],
  ],
  [
    'what differs for a schedule',
    [{}, scheduled({ env: [{ name: 'A', value: '1' }], securityContext: { privileged: 'false' } })],
    [{}, scheduled({ variables: { A: '1' }, security_context: {} })],
  ],
])('%s may be where Kubernetes has them', (_, earlier, current) => {
  expect(read(...earlier)).toEqual(read(...current))
  const { problems } = read(...earlier)
  // This module is no CronJob.
  expect(problems.filter((each) => !each.startsWith("'/spec/schedules': has no effect"))).toEqual([])
})

test.each<[rule: string, container: FreeForm, more: FreeForm, problem: string]>([
  [
    'privileges',
    { securityContext: { privileged: true } },
    {},
    "/containers/main/security_context/privileged': is no field of a module",
  ],
  [
    'a field in both forms',
    {},
    { tolerations, pod: { tolerations } },
    "/tolerations': is given at '/spec/pod/tolerations' too",
  ],
  [
    'both contexts',
    { securityContext: { runAsUser: 1 }, security_context: {} },
    {},
    "/containers/main/securityContext': is given as 'security_context' too",
  ],
  [
    'a variable in both forms',
    { env: [{ name: 'A', value: '1' }], variables: { A: '2' } },
    {},
    "/containers/main/env/0': the variable 'A' is given twice",
  ],
  [
    'a variable twice',
    {
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
    },
    {},
    "/containers/main/env/1': the variable 'A' is given twice",
  ],
  [
    'a variable from elsewhere',
    { env: [{ name: 'A', valueFrom: {} }] },
    {},
    "/containers/main/env/0': must have a 'name' and a 'value', and nothing else",
  ],
  [
    'a variable without a list',
    { env: { A: '1' } },
    {},
    "/containers/main/env': must be a list of variables",
  ],
  ['a secret list', { env: secret }, {}, "/containers/main/env': must be a list of variables"],
  ['a field that no module has', {}, { hostNetwork: true }, "/hostNetwork': is no field of a module"],
])('%s is a problem', (_, container, more, problem) => {
  expect(read(container, more).problems).toEqual([expect.stringContaining(`'/spec${problem}`)])
})

test.each<[what: string, container: FreeForm, more: FreeForm]>([
  ['fields of pods', {}, { tolerations, pod: '${externals.s.pod}' }],
  ['variables', { env: [{ name: 'A', value: '1' }], variables: '${externals.s.all}' }, {}],
  ['a list of variables', { env: '${externals.s.all}' }, {}],
  ['a variable', { env: ['${externals.s.one}'] }, {}],
])('%s that a placeholder will give are no problem yet', (_, container, more) => {
  expect(read(container, more).problems).toEqual([])
})

test.each<[what: string, container: FreeForm, more: FreeForm, at: string]>([
  ['a security context', { securityContext: secret }, {}, '/containers/main/security_context'],
  [
    'a part of it',
    { securityContext: { runAsUser: secret } },
    {},
    '/containers/main/security_context/runAsUser',
  ],
  ['a field of pods', {}, { tolerations: secret }, '/pod/tolerations'],
  ['all fields of pods', {}, { tolerations, pod: secret }, '/pod'],
  [
    'all variables',
    { env: [{ name: 'A', value: '1' }], variables: secret },
    {},
    '/containers/main/variables',
  ],
])('a secret for %s is a problem, not lost', (_, container, more, at) => {
  expect(read(container, more).problems).toContain(
    `'/spec${at}': contains a secret: only variables, files, commands and arguments can`,
  )
})
