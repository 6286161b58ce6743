import {
  freeForm,
  integer,
  list,
  map,
  object,
  oneOf,
  type Static,
  string,
  type TSchema,
} from '../../api/schema.ts'

// Score v1b1 as a JSON Schema, draft 2020-12: the fields, patterns and limits of the specification at score.dev
// (Apache-2.0). Both forms of `files` and `volumes` are accepted, a list and a map by target.

/** `apiVersion` of a Score document. */
export const scoreVersion = 'score.dev/v1b1'

const longText = 1_048_576
const label = '^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$'
const word = '^[A-Za-z0-9][A-Za-z0-9-]{0,61}[A-Za-z0-9]$'
const annotationKey =
  '^(([a-z0-9][a-z0-9-]{0,61}[a-z0-9])(\\.[a-z0-9][a-z0-9-]{0,61}[a-z0-9])*/)?[A-Za-z0-9][A-Za-z0-9._-]{0,61}[A-Za-z0-9]$'

/** An object without other keys than the declared ones. */
function closed<T extends TSchema>(schema: T): T {
  return { ...schema, additionalProperties: false }
}

function namedBy<T extends TSchema>(schema: T, names: object): T {
  return { ...schema, propertyNames: names }
}

function text(description: string, options: { readonly pattern?: string; readonly minLength?: number } = {}) {
  return string(description, { maxLength: longText, ...options })
}

const labels = { minLength: 2, maxLength: 63, pattern: label }
const name = (description: string) => string(description, labels)
const simpleName = (description: string) =>
  string(description, { minLength: 2, maxLength: 63, pattern: word })
const texts = (description: string) => list(text('A text.'), description)

const annotations = namedBy(map(text('A value.'), 'Annotations.'), {
  minLength: 2,
  maxLength: 316,
  pattern: annotationKey,
})

const port = (description: string) => integer(description, { minimum: 1, maximum: 65_535 })

const servicePort = closed(
  object(
    { port: port('Port of the service.') },
    { protocol: oneOf(['TCP', 'UDP'], 'Protocol.'), targetPort: port('Port of the container.') },
    'A port.',
  ),
)

const amounts = closed(
  object(
    {},
    {
      memory: string('Bytes, such as `128M`.', { pattern: '^[1-9]\\d*(K|M|G|T|Ki|Mi|Gi|Ti)?$' }),
      cpu: string('CPUs, such as `125m`.', { pattern: '^\\d*(?:m|\\.\\d+)?$' }),
    },
    'Amounts of CPU and memory.',
  ),
)

const httpProbe = closed(
  object(
    { port: port('Port.'), path: text('Path.') },
    {
      host: text('Host.', { minLength: 1 }),
      scheme: oneOf(['HTTP', 'HTTPS'], 'Scheme.'),
      httpHeaders: list(
        closed(
          object(
            {
              name: text('Name.', { pattern: '^[A-Za-z0-9_-]+$' }),
              value: text('Value.', { minLength: 1 }),
            },
            {},
            'A header.',
          ),
        ),
        'Headers.',
      ),
    },
    'A probe by HTTP.',
  ),
)

const probe = closed(
  object(
    {},
    {
      httpGet: httpProbe,
      exec: closed(object({ command: texts('Command and arguments.') }, {}, 'A probe by a command.')),
    },
    'A probe.',
  ),
)
export type ScoreProbe = Static<typeof probe>

const fileFields = {
  mode: string('Access mode in octal digits.', { pattern: '^0?[0-7]{3}$' }),
  source: text('Path of a file with the content.', { minLength: 1 }),
  content: text('Content.'),
  binaryContent: text('Content in base64.'),
  noExpand: { type: 'boolean' } as TSchema,
}
const file = closed(object({}, fileFields, 'A file.'))
export type ScoreFile = Static<typeof file>

const volumeFields = {
  path: text('Path in the volume.'),
  readOnly: { type: 'boolean' } as TSchema,
}
const source = text('The volume.')
const volume = closed(object({ source }, volumeFields, 'A volume.'))
export type ScoreVolume = Static<typeof volume>

/** A map by target; its older form is a list whose items have a `target`. */
function byTarget<T extends TSchema, I extends TSchema>(item: T, listItem: I) {
  return {
    type: ['array', 'object'],
    items: listItem,
    additionalProperties: item,
  } as unknown as ReturnType<typeof map<T>>
}

const target = text('Path in the container.', { minLength: 1 })

const container = closed(
  object(
    { image: text('Image.', { minLength: 1 }) },
    {
      command: texts('Command.'),
      args: texts('Arguments.'),
      variables: namedBy(map(text('A value.'), 'Environment variables.'), {
        minLength: 1,
        pattern: '^[^=]+$',
      }),
      files: byTarget(file, closed(object({ target }, fileFields, 'A file.'))),
      volumes: byTarget(volume, closed(object({ target, source }, volumeFields, 'A volume.'))),
      resources: closed(object({}, { limits: amounts, requests: amounts }, 'Resources.')),
      livenessProbe: probe,
      readinessProbe: probe,
    },
    'A container.',
  ),
)
export type ScoreContainer = Static<typeof container>

/** The schema of some fields of a container. */
export const containerFieldsSchema = { ...container, required: [] }

/** The schema of a resource of a Score document. */
export const resourceSchema = closed(
  object(
    { type: simpleName('Resource type.') },
    {
      class: simpleName('Resource class.'),
      id: string('Id of a shared resource.', {
        minLength: 2,
        maxLength: 63,
        pattern: '^[a-z0-9]+(?:-+[a-z0-9]+)*(?:\\.[a-z0-9]+(?:-+[a-z0-9]+)*)*$',
      }),
      metadata: object({}, { annotations }, 'Metadata.'),
      params: freeForm('Inputs.'),
    },
    'A resource.',
  ),
)
export type ScoreResource = Static<typeof resourceSchema>

/** The schema of Score documents. */
export const scoreSchema = closed(
  object(
    {
      apiVersion: oneOf([scoreVersion], 'Version of the specification.'),
      metadata: object({ name: name('Name of the workload.') }, { annotations }, 'Metadata.'),
      containers: { ...namedBy(map(container, 'Containers by name.'), labels), minProperties: 1 },
    },
    {
      service: closed(
        object({}, { ports: namedBy(map(servicePort, 'Ports by name.'), labels) }, 'The service.'),
      ),
      resources: namedBy(map(resourceSchema, 'Resources by local name.'), labels),
    },
    'A Score document.',
  ),
)
export type ScoreDocument = Static<typeof scoreSchema>

/** The schema of some fields of a Score document. */
export const scoreFieldsSchema = { ...scoreSchema, required: [] }

/** Names of all fields, for hints. */
export const scoreFields: readonly string[] = fieldsIn(scoreSchema)

function fieldsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { readonly properties?: object } // any schema
  return [
    ...Object.keys(properties),
    ...Object.values(schema).flatMap(fieldsIn),
    ...Object.values(properties).flatMap(fieldsIn),
  ]
}
