import { fc } from '../../../support/properties.ts'

/** Texts that a YAML or a JSON reader may take for something else. */
const oddTexts = [
  '',
  ' ',
  'é😀',
  'yes',
  '1e3',
  '0x1f',
  'null',
  '~',
  '2026-01-01',
  'a\nb\n',
  '\n',
  ' lead',
  'tail ',
  '\t',
]
  .concat([
    '- x',
    '#c',
    'a: b',
    '\u0001',
    '<b>&',
    '$\\{x}',
    '{{',
    '%',
    "'",
    '"',
    '\\',
    '!!',
    '|',
    '>',
    '*a',
    '&a',
  ])
  .concat(['__proto__', '=', '1_000', '0o7', '1:30'])

/** Texts of at most so many characters. Clients send JSON where YAML is expected, so none has what YAML lacks. */
function text(most = 1024, least = 0): fc.Arbitrary<string> {
  const longest = fc.constantFrom('é'.repeat(most), 'x'.repeat(most))
  return fc
    .oneof({ weight: 6, arbitrary: fc.constantFrom(...oddTexts) }, longest, fc.string({ unit: 'grapheme' }))
    .filter((each) => !/[\0\u007f-\u009f\u2028\u2029\ufffe\uffff]/.test(each))
    .filter((each) => each.length >= least && each.length <= most)
}

const number = fc.constantFrom(0, 1, -1, 2 ** 53 - 1, 1 - 2 ** 53, 2 ** 53, 0.1, 1e21, 1e-7, 1.5e20, 5e-324)
const key = fc.constantFrom(
  'a',
  'b',
  'a/b',
  'a.b',
  '',
  '~',
  '"',
  'é',
  'yes',
  '1',
  '$ref',
  '*',
  'value',
  'ref',
)
const { any } = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.constant([]),
    fc.constant({}),
    text(200),
    number,
    fc.array(tie('any'), { maxLength: 3 }),
    mapOf(key, tie('any'), 3),
  ),
}))
const object = mapOf(key, any, 4)

function mapOf<T>(keys: fc.Arbitrary<string>, values: fc.Arbitrary<T>, maxKeys = 2) {
  return fc.dictionary(keys, values, { maxKeys, noNullPrototype: true })
}

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Objects with all required and some optional fields. */
function record(required: Fields, optional: Fields = {}): fc.Arbitrary<object> {
  return fc.record(
    { ...required, ...optional },
    { requiredKeys: Object.keys(required), noNullPrototype: true },
  )
}

const type = fc.constantFrom('dns', 's3', 'redis', 'config')
const need = record({ type }, { class: fc.constantFrom('default', 'large'), params: object })
const module = record(
  { profile: fc.constant('quartermaster/default-module'), spec: object },
  { externals: mapOf(fc.constantFrom('db', 'x_y'), need) },
)
const operation = record({
  op: fc.constantFrom('add', 'replace'),
  path: fc.constantFrom('/spec/a', '/spec/é~1b', '/externals/q/params/z'),
  value: any,
})
const secrets = mapOf(
  fc.constantFrom('a', 'c.d', 'e/f', 'é', 'value', 'secret'),
  fc.oneof(
    text(100),
    number,
    fc.constantFrom<unknown>(true, null),
    mapOf(fc.constantFrom('x', 'value'), text(50)),
  ),
  3,
)
const schema = fc.constantFrom(
  {},
  { type: 'object' },
  {
    type: 'object',
    properties: {
      'a/b': { type: ['string', 'null'], default: null, minimum: 2 ** 53, enum: [null, 1, 1.5, 'x'] },
    },
  },
)
const criterion = record(
  {},
  {
    env_type: fc.constantFrom('*', 'development', 'é'),
    app_id: fc.constantFrom('*', 'shop'),
    res_id: text(20),
  },
)

/** Bodies that create something, without what identifies it. */
export const bodies = {
  described: record({}, { description: text() }),
  named: record({ name: text() }),
  type: record(
    { use: fc.constantFrom('direct', 'indirect') },
    { name: text(), category: text(63), inputs_schema: schema, outputs_schema: schema },
  ),
  account: record({
    name: text(),
    type: text(63, 1),
    credentials: mapOf(fc.constantFrom('token', 'a.json', 'n'), fc.oneof(text(50), number)),
  }),
  driver: record(
    {
      type,
      target: fc.constantFrom('https://d.example.com/x?y=é', 'driver://quartermaster/echo'),
      inputs_schema: schema,
      account_types: fc.array(text(63), { maxLength: 3 }),
    },
    { template: fc.oneof(fc.constantFrom<unknown>(null, '', 'a: b'), object) },
  ),
  definition: record(
    {
      name: text(),
      type,
      driver_type: fc.constantFrom('acme/unknown', 'quartermaster/echo'),
      driver_inputs: record({ values: object, secrets }),
    },
    {
      provision: mapOf(
        fc.constantFrom('dns', 's3.large', 'redis#a.b'),
        record({}, { is_dependent: fc.boolean(), match_dependents: fc.boolean(), params: object }),
      ),
      criteria: fc.uniqueArray(criterion, { maxLength: 2, selector: (each) => JSON.stringify(each) }),
    },
  ),
  value: record(
    { description: text(8192), value: fc.oneof(text(), fc.constant('y'.repeat(65_536))) },
    { is_secret: fc.boolean() },
  ),
  delta: record(
    {},
    {
      metadata: record({}, { env_id: fc.constant('dev'), name: text(8192) }),
      modules: record(
        {},
        {
          add: mapOf(fc.constantFrom('web', 'api'), module),
          remove: fc.uniqueArray(fc.constantFrom('old', 'éé')),
          update: mapOf(fc.constantFrom('other', 'more'), fc.array(operation, { maxLength: 3 })),
        },
      ),
      shared: fc.array(record({ op: fc.constant('add'), path: fc.constantFrom('/a', '/b-c'), value: need }), {
        maxLength: 2,
      }),
    },
  ),
  rule: record(
    { type: fc.constant('update'), active: fc.boolean() },
    {
      artefacts_filter: fc.array(text(512), { maxLength: 2 }),
      exclude_artefacts_filter: fc.boolean(),
      match_ref: fc.constantFrom('', 'é', '^refs/'),
    },
  ),
  registry: fc.oneof(
    record({ type: fc.constantFrom('public', 'amazon_ecr') }, { enable_ci: fc.boolean() }),
    record({
      type: fc.constantFrom('basic', 'google_gcr'),
      creds: record(
        { username: text(), password: text(2000) },
        { expires: fc.constantFrom(null, '2030-01-01T00:00:00.123456789Z', '2030-01-01T00:00:00+02:00') },
      ),
    }),
    record({
      type: fc.constant('secret_ref'),
      secrets: mapOf(
        fc.constantFrom('*', 'é', 'a/b'),
        record({ namespace: fc.constant('NS'), secret: fc.constant('x') }),
      ),
    }),
  ),
  webhook: record(
    { url: fc.constantFrom('hooks.example.com', 'hooks.example.com:444/é?x=1') },
    {
      headers: fc.option(mapOf(fc.constantFrom('X-A', 'x-b'), fc.constantFrom('', 'a', 'b c'))),
      payload: fc.option(object),
      triggers: fc.option(
        fc.subarray([
          { scope: 'environment', type: 'created' },
          { scope: 'deployment', type: 'finished' },
        ]),
      ),
      disabled: fc.option(fc.boolean()),
    },
  ),
  artefact: record(
    { type: fc.constant('container'), name: fc.constant('registry.example.com/a') },
    { ref: fc.constantFrom('', 'refs/heads/é'), commit: fc.constantFrom('', 'abcdef') },
  ),
  user: record(
    { name: text(1024, 1), role: fc.constantFrom('member', 'artefactContributor', 'orgViewer', 'manager') },
    { email: fc.constantFrom('', 'a@b', 'é@x') },
  ),
}
