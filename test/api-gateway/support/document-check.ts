import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import {
  openApiDocument,
  parameterNames,
  type ResponseObject,
} from '../../../api-gateway/openapi/document.ts'
import { commonHeaders } from '../../../api-gateway/response/common-headers.ts'

/** A request and its response. */
export interface Answered {
  readonly method: string
  /** The path of the request, and its query. */
  readonly target: string
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** Headers of HTTP itself, and those for browsers, which clients of the interface ignore. */
const common = new Set([
  ...Object.keys(commonHeaders),
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
])

interface Header {
  readonly required?: boolean
  readonly schema: { readonly type?: string }
}

/** Fails a test whose response the OpenAPI document does not allow. */
export const checkResponse = documentCheck()

function documentCheck() {
  const document = openApiDocument(endpoints, 'test')
  // Other tests check the document itself; each test file compiles only the schemas of its answers.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    code: { optimize: false },
  })
  formats.default(ajv)
  ajv.addSchema(document, 'openapi.json')
  const routes = endpoints
    .map(({ method, path }) => ({
      method,
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      weight: parameterNames(path).length,
    }))
    .sort((a, b) => a.weight - b.weight)
  const headers = document.components.headers as Record<string, Header> // our own document

  /** Where an answer is in the document, and the answer. */
  function find(method: string, path: string, status: number): [string[], ResponseObject] | undefined {
    const found = document.paths[path]?.[method]?.responses[status]
    if (!found || !('$ref' in found))
      return found && [['paths', path, method, 'responses', `${status}`], found]
    const name = found.$ref.split('/').at(-1) ?? ''
    const shared = document.components.responses[name]
    return shared && [['components', 'responses', name], shared]
  }

  function headerFaults(answers: ResponseObject, given: Answered['headers']): string[] {
    const declared = Object.entries(answers.headers as Record<string, Header | { $ref: string }>).map(
      ([name, each]) => {
        const header = '$ref' in each ? headers[each.$ref.split('/').at(-1) ?? ''] : each
        return [name.toLowerCase(), header] as const
      },
    )
    const names = new Set(declared.map(([name]) => name))
    return [
      ...Object.keys(given)
        .filter((name) => !common.has(name) && !names.has(name))
        .map((name) => `header '${name}' is not declared`),
      ...declared.flatMap(([name, { required, schema } = { schema: {} }]) => {
        const value = given[name]
        if (value === undefined) return required ? [`header '${name}' is missing`] : []
        const isFit = ajv.validate(schema, schema.type === 'integer' ? Number(value) : String(value))
        return isFit ? [] : [`header '${name}' is '${String(value)}'`]
      }),
    ]
  }

  function bodyFaults(
    [place, { content = {} }]: [string[], ResponseObject],
    { method, headers, body }: Answered,
  ): string[] {
    const hasBody = method !== 'HEAD' && Object.hasOwn(content, 'application/json')
    if (body === undefined) return hasBody ? ['the body is missing'] : []
    const [mediaType = ''] = String(headers['content-type'] ?? '').split(';')
    const type = [mediaType, `${mediaType.split('/')[0]}/*`].find((each) => Object.hasOwn(content, each))
    if (type === undefined) return [`a body of type '${mediaType}' is not declared`]
    const tokens = [...place, 'content', type, 'schema'].map((token) =>
      encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1')),
    )
    const validate = ajv.getSchema(`openapi.json#/${tokens.join('/')}`)
    if (!validate || validate(body)) return []
    return [`${ajv.errorsText(validate.errors)}: ${JSON.stringify(body)}`]
  }

  return (answered: Answered): void => {
    const { target, status } = answered
    const method = answered.method === 'HEAD' ? 'get' : answered.method.toLowerCase()
    const [bare = ''] = target.split('?')
    // The path with the fewest parameters matches, for every method.
    const place = routes.find((each) => each.pattern.test(bare))?.path
    const route = routes.find((each) => each.method === method && each.path === place)
    if (!route) return
    const found = find(method, route.path, status)
    const { 'x-request-id': id, connection } = answered.headers
    // A request that the HTTP parser refuses has no id, and ends the connection.
    const isNamed = id !== undefined || (status === 400 && connection === 'close')
    if (!isNamed) throw new Error(`${answered.method} ${target} ${status}: no header 'x-request-id'`)
    const faults = found
      ? [...headerFaults(found[1], answered.headers), ...bodyFaults(found, answered)]
      : ['the document knows no such status']
    if (faults.length > 0) throw new Error(`${answered.method} ${target} ${status}: ${faults.join('; ')}`)
  }
}
