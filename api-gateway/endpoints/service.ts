import { freeForm, object, string } from '../../operator/api/schema.ts'
import { type Endpoint, endpoint, ok } from '../endpoint.ts'
import { htmlAnswer } from '../pages/html.ts'
import { referencePolicy } from '../pages/reference.ts'
import { errorShape } from '../shapes.ts'

/** What is as long as it has to be. */
const textOf = (description: string) => string(description, { maxLength: 16_777_216 })

const stateShape = object({ status: string('`ok`.') }, {}, 'State of the process.')

/** The service itself: its state, its figures and its description. */
export const service: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/livez',
    summary: 'Tell whether the process runs',
    tag: 'Service',
    access: 'public',
    responses: { 200: stateShape },
    handle: () => ok({ status: 'ok' }),
  }),
  endpoint({
    method: 'get',
    path: '/readyz',
    summary: 'Tell whether requests can be answered',
    tag: 'Service',
    access: 'public',
    responses: { 200: stateShape, 503: errorShape },
    handle(_call, { cluster: { store } }) {
      if (store.synced) return ok({ status: 'ok' })
      return { status: 503, body: { error: 'Internal', message: 'the gateway is starting' } }
    },
  }),
  endpoint({
    method: 'get',
    path: '/metrics',
    summary: 'Get figures for Prometheus, as text',
    tag: 'Service',
    access: 'public',
    responses: { 200: textOf('Figures in the text format of Prometheus.') },
    textType: 'text/plain',
    async handle(_call, { metrics }) {
      return { status: 200, text: { contentType: metrics.contentType, content: await metrics.text() } }
    },
  }),
  endpoint({
    method: 'get',
    path: '/openapi.json',
    summary: 'Get this description of all operations',
    tag: 'Service',
    access: 'public',
    responses: { 200: freeForm('An OpenAPI 3.1 document.') },
    handle: (_call, { document }) => ({
      status: 200,
      text: { contentType: 'application/json', content: document },
    }),
  }),
  endpoint({
    method: 'get',
    path: '/docs',
    summary: 'Read this description as a page',
    tag: 'Service',
    access: 'public',
    responses: { 200: textOf('A page without scripts.') },
    textType: 'text/html',
    handle: (_call, { reference }) => htmlAnswer(reference, referencePolicy),
  }),
]
