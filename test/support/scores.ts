import type { FreeForm } from '../../operator/api/schema.ts'
import { fc } from './properties.ts'

/** A Score document of a workload `web` with one container. */
export function scoreDocument(container: FreeForm = {}, more: FreeForm = {}): FreeForm {
  return {
    apiVersion: 'score.dev/v1b1',
    metadata: { name: 'web' },
    containers: { main: { image: 'nginx:1', ...container } },
    ...more,
  }
}

const label = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,6}[a-z0-9]$/)
const key = fc.oneof(label, fc.constantFrom('__proto__', 'constructor', 'a.b', "it's", '/etc/x y', '${x}'))

/** Texts full of what placeholders and escapes are made of. */
export const trickyText = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('$', '$$', '{', '}', '\\', '${', '$\\{', '.', '[', ']', "'", '"'),
      },
      fc.constantFrom(
        '${values.A}',
        '${context.app.id}',
        '${externals.db.host}',
        '${resources.db.host}',
        '${metadata.name}',
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

/** Texts of a Score document that refer only to what exists. */
export function scoreText(names: readonly string[]) {
  const references = names.flatMap((name) => [
    `\${resources.${name}}`,
    `\${resources.${name}.out}`,
    `\${resources.${name}.a\\.b.c}`,
  ])
  const literal = trickyText.map((text) => text.replaceAll('$', '$$$$'))
  return fc
    .array(fc.oneof(literal, fc.constantFrom('${metadata.name}', ...references)), { maxLength: 4 })
    .map((parts) => parts.join(''))
}

const resource = fc.record(
  {
    type: fc.constantFrom('postgres', 's3', 'dns', 'volume', 'environment', 'service', 'route'),
    class: fc.constantFrom('default', 'large'),
    id: fc.constantFrom('one', 'a.b', 'shared-two'),
  },
  { requiredKeys: ['type'] },
)

/** Resources in which each id is of one type. */
const resources = fc
  .dictionary(label, resource, { maxKeys: 4 })
  .map((map) =>
    Object.fromEntries(
      Object.entries(map).map(([name, each]) => [
        name,
        each.id === undefined ? each : { ...each, type: 's3' },
      ]),
    ),
  )

function container(names: readonly string[]) {
  const text = scoreText(names)
  const plain = trickyText.filter((each) => !/\$\{(resources|metadata)/.test(each))
  const outputs = names.map((name) => `\${resources.${name}.out}`)
  const http = fc.record(
    {
      port: fc.integer({ min: 1, max: 65_535 }),
      path: fc.string(),
      scheme: fc.constantFrom('HTTP', 'HTTPS'),
      httpHeaders: fc.uniqueArray(fc.record({ name: fc.constantFrom('A', 'b'), value: fc.constant('x') }), {
        selector: ({ name }) => name,
        maxLength: 2,
      }),
    },
    { requiredKeys: ['port', 'path'] },
  )
  const probe = fc.oneof(
    http.map((httpGet) => ({ httpGet })),
    fc.array(trickyText).map((command) => ({ exec: { command } })),
  )
  const mode = fc.constantFrom('0644', '600')
  const file = fc.oneof(
    fc.record({ content: text, mode }, { requiredKeys: ['content'] }),
    fc.record(
      { content: trickyText, noExpand: fc.constant(true), mode },
      { requiredKeys: ['content', 'noExpand'] },
    ),
    fc.record({ binaryContent: fc.base64String() }),
  )
  const volume = fc.record(
    { source: text, path: fc.string(), readOnly: fc.boolean() },
    { requiredKeys: ['source'] },
  )
  return fc.record(
    {
      image: fc.constantFrom('nginx', '.', 'a/b:c'),
      command: fc
        .array(fc.array(fc.oneof(plain, fc.constantFrom('${metadata.name}', ...outputs)), { maxLength: 3 }), {
          maxLength: 2,
        })
        .map((texts) => texts.map((parts) => parts.join(''))),
      variables: fc.dictionary(
        key.filter((each) => !each.includes('=')),
        text,
        { maxKeys: 3 },
      ),
      files: fc.dictionary(key, file, { maxKeys: 2 }),
      volumes: fc.dictionary(key, volume, { maxKeys: 2 }),
      resources: fc.constant({ limits: { cpu: '1' } }),
      livenessProbe: probe,
      readinessProbe: probe,
    },
    { requiredKeys: ['image'] },
  )
}

/** Valid Score documents. */
export const scoreDocuments: fc.Arbitrary<FreeForm> = resources.chain((known) => {
  const names = Object.keys(known)
  const port = fc.integer({ min: 1, max: 65_535 })
  return fc.record(
    {
      apiVersion: fc.constant('score.dev/v1b1'),
      metadata: fc.record(
        { name: label, annotations: fc.constant({ 'example.com/ab': '$$5' }) },
        { requiredKeys: ['name'] },
      ),
      containers: fc.dictionary(label, container(names), { minKeys: 1, maxKeys: 2 }),
      service: fc.record({
        ports: fc.dictionary(label, fc.record({ port, targetPort: port }, { requiredKeys: ['port'] }), {
          maxKeys: 2,
        }),
      }),
      resources: fc.constant(known),
    },
    { requiredKeys: ['apiVersion', 'metadata', 'containers', 'resources'] },
  )
})
