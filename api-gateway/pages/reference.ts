import { isObject } from '../../operator/domain/json.ts'
import type { Content, OpenApiDocument, Operation } from '../openapi.ts'
import { contentPolicy, escapeHtml, htmlPage, proseHtml } from './html.ts'

/** What the page of the reference may do: nothing but look well. */
export const referencePolicy = contentPolicy()

/** The OpenAPI document as a page for people. */
export function referencePage({ info, tags, paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  )
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    const list = own.map(({ method, path, operation }) => operationHtml(method, path, operation))
    return `<section id="${slug(name)}"><h2>${escapeHtml(name)}</h2>\n<p>${proseHtml(description)}</p>\n${list.join('\n')}</section>`
  })
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details><summary><code>${escapeHtml(name)}</code></summary><div id="${schemaId(name)}">${schemaHtml(schema)}</div></details>`,
  )
  const contents = [...tags.map(({ name }) => name), 'Schemas'].map(
    (name) => `<li><a href="#${slug(name)}">${escapeHtml(name)}</a></li>`,
  )
  return htmlPage(
    `${info.title} ${info.version}: REST interface`,
    `<header><h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}</h1>
<p>${proseHtml(info.description)}</p>
<p>Requests carry <code>Authorization: Bearer &lt;token&gt;</code>. The same for programs: <a href="openapi.json">openapi.json</a>.
A session in the browser: <a href="auth/sign-in">sign in</a>.</p></header>
<nav aria-label="Contents"><ul>${contents.join('')}</ul></nav>
<main>
${sections.join('\n')}
<section id="schemas"><h2>Schemas</h2>
${shapes.join('\n')}</section>
</main>`,
  )
}

function slug(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

function schemaId(name: string): string {
  return `schema-${escapeHtml(name)}`
}

function operationHtml(method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const inputs = parameters.map((each) =>
    fieldHtml(each.name, each.schema, each.required, `in the ${each.in}`),
  )
  const answers = Object.entries(responses).map(
    ([status, { description: text, content }]) =>
      `<li><code>${status}</code> ${proseHtml(text)}${contentHtml(content)}</li>`,
  )
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code> ${proseHtml(summary)}</summary>
<div id="${operationId}"><p>${proseHtml(description)}</p>
<pre>${escapeHtml(curlOf(method, path, operation))}</pre>
${inputs.length > 0 ? `<h3>Parameters</h3><ul>${inputs.join('')}</ul>` : ''}
${requestBody ? `<h3>Body</h3>${contentHtml(requestBody.content)}` : ''}
<h3>Answers</h3><ul>${answers.join('')}</ul></div></details>`
}

/** A command line that makes the request, with the examples of the document. */
function curlOf(method: string, path: string, { parameters, requestBody, security }: Operation): string {
  const examples = new Map(parameters.map(({ name, example }) => [name, example]))
  const target = path.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const example = examples.get(name)
    return example === undefined ? placeholder : encodeURIComponent(example)
  })
  const [[type, { example }] = ['', { example: undefined }]] = Object.entries(requestBody?.content ?? {})
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$GATEWAY_URL${target}"`,
    ...(security?.length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(requestBody ? [`-H 'Content-Type: ${type}'`, `-d '${JSON.stringify(example)}'`] : []),
  ].join(' \\\n  ')
}

function contentHtml(content: Content = {}): string {
  return Object.values(content)
    .map(({ schema }) => schemaHtml(schema))
    .join('')
}

/** A schema on its own: what it is, then its parts. */
function schemaHtml(schema: unknown): string {
  const link = linkOf(schema)
  if (link !== undefined) return ` ${link}`
  const { description = '' } = partsOf(schema)
  const facts = factsOf(schema)
  return `${facts === '' ? '' : ` <i>${facts}</i>`} ${proseHtml(description)}${nestedHtml(schema)}`
}

function fieldHtml(name: string, schema: unknown, isRequired: boolean, where = ''): string {
  const facts = [where, isRequired ? 'required' : ''].filter(Boolean).join(', ')
  return `<li><code>${escapeHtml(name)}</code>${facts === '' ? '' : ` <i>${facts}</i>`}${schemaHtml(schema)}</li>`
}

function nestedHtml(schema: unknown): string {
  const { properties = {}, required = [], items, additionalProperties, anyOf = [] } = partsOf(schema)
  const rows = [
    ...Object.entries(properties).map(([name, each]) => fieldHtml(name, each, required.includes(name))),
    ...(isObject(items) ? [`<li>each:${schemaHtml(items)}</li>`] : []),
    ...(isObject(additionalProperties) ? [`<li>each value:${schemaHtml(additionalProperties)}</li>`] : []),
    ...anyOf.map((each) => `<li>either:${schemaHtml(each)}</li>`),
  ]
  return rows.length === 0 ? '' : `<ul>${rows.join('')}</ul>`
}

function linkOf(schema: unknown): string | undefined {
  const name = partsOf(schema).$ref?.split('/').at(-1)
  return name && `<a href="#${schemaId(name)}">${escapeHtml(name)}</a>`
}

/** What a schema demands of a value, in words. */
function factsOf(schema: unknown): string {
  const {
    type,
    format,
    enum: words,
    pattern,
    minLength = 0,
    maxLength,
    minimum,
    maximum,
    maxItems,
  } = partsOf(schema)
  const code = (text: string) => `<code>${escapeHtml(text)}</code>`
  return [
    [type ?? []].flat().join(' or '),
    ...(format === undefined ? [] : [escapeHtml(format)]),
    ...(words ? [`one of ${words.map((word) => code(String(word))).join(', ')}`] : []),
    ...(pattern === undefined ? [] : [`like ${code(pattern)}`]),
    ...(maxLength === undefined || words ? [] : [`${minLength} to ${maxLength} characters`]),
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`up to ${maximum}`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
  ]
    .filter(Boolean)
    .join(', ')
}

interface SchemaParts {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, unknown>>
  readonly items?: unknown
  readonly additionalProperties?: unknown
  readonly anyOf?: readonly unknown[]
}

function partsOf(schema: unknown): SchemaParts {
  return isObject(schema) ? (schema as SchemaParts) : {} // our builders make nothing else
}
