import { freeForm, object, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { staleCacheReason } from '../../authenticate.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { htmlAnswer } from '../../pages/html.ts'
import { viewerPage, viewerPolicy } from '../../pages/viewer.ts'
import { errorShape } from '../../response/shapes.ts'

const longText = (description: string) => string(description, { maxLength: 16_777_216 })

const status = string('`ok`.')
const stateShape = object({ status }, {}, 'State of the process.')
const readyShape = object(
  { status },
  { status_message: string('Notice that no operator is running. Absent while an operator runs.') },
  'State of the process and of the operator.',
)

/** Health, metrics and API description. */
export const service: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/livez',
    summary: 'Check that the process is alive',
    tag: 'Service',
    access: 'public',
    isUnlimited: true,
    responses: { 200: stateShape, 503: errorShape },
    handle(_call, { isAlive }) {
      if (isAlive()) return ok({ status: 'ok' })
      const message =
        'a watch has no answer for minutes, although the API server answers: restart this process'
      return { status: 503, body: { error: 'Internal', message } }
    },
  }),
  endpoint({
    method: 'get',
    path: '/readyz',
    summary: 'Check that the process can serve requests',
    tag: 'Service',
    access: 'public',
    isUnlimited: true,
    responses: { 200: readyShape, 503: errorShape },
    handle(_call, { cluster: { store }, hasOperator }) {
      const message = staleCacheReason(store)
      if (message !== undefined) return { status: 503, body: { error: 'Internal', message } }
      // The gateway is still ready: it serves reads and stores writes for the operator.
      const notice = 'no operator is running: requests are stored and wait'
      return ok({ status: 'ok', status_message: hasOperator() ? undefined : notice })
    },
  }),
  endpoint({
    method: 'get',
    path: '/metrics',
    summary: 'Get metrics in the Prometheus text format',
    tag: 'Service',
    access: 'public',
    responses: { 200: longText('Metrics in the Prometheus text format.') },
    textType: 'text/plain',
    async handle(_call, { metrics }) {
      return { status: 200, text: { contentType: metrics.contentType, content: await metrics.text() } }
    },
  }),
  endpoint({
    method: 'get',
    path: '/openapi.json',
    summary: 'Get this API description',
    tag: 'Service',
    access: 'public',
    responses: { 200: freeForm('An OpenAPI 3.1 document.') },
    handle: (_call, { document }) => ({
      status: 200,
      text: { contentType: 'application/json', content: document() },
    }),
  }),
  endpoint({
    method: 'get',
    path: '/docs',
    summary: 'Open this API description as an HTML page',
    tag: 'Service',
    access: 'public',
    responses: { 200: longText('An HTML page.') },
    textType: 'text/html',
    handle: () => htmlAnswer(viewerPage, viewerPolicy),
  }),
  endpoint({
    method: 'get',
    path: '/docs/{file}',
    summary: 'Get a file of the API description page',
    tag: 'Service',
    access: 'public',
    headers: { 'If-None-Match': string('`ETag` of the cached file.', { maxLength: 4096 }) },
    responses: { 200: longText('A script, a style sheet or a license text.'), 304: undefined },
    responseHeaders: { ETag: string('Version of the file.') },
    textType: 'text/*',
    async handle({ params, header }, { viewer }) {
      const found = await viewer.file(params.file)
      if (!found) throw new Problem('NotFound', `the page has no file '${params.file}'`)
      const { etag, ...text } = found
      // Browsers cache the file and revalidate it with the ETag.
      const headers = { etag, 'cache-control': 'no-cache' }
      const isKnown = header('if-none-match')?.includes(etag) ?? false
      return isKnown ? { status: 304, headers } : { status: 200, text, headers }
    },
  }),
]
