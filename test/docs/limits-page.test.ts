import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from './page.ts'

const page = readFileSync(join(root, 'docs/limits.md'), 'utf8')
const rows = [...page.matchAll(/^\| (.+) \| ([\d,]+)(?: (KiB|MiB))? \|$/gm)].map(
  ([, title = '', digits = '', unit]) =>
    [
      title,
      Number(digits.replaceAll(',', '')) * (unit === 'MiB' ? 2 ** 20 : unit === 'KiB' ? 1024 : 1),
    ] as const,
)

/** The constant or field that has each limit. */
const sources: Readonly<Record<string, readonly [file: string, name: string]>> = {
  'resources of one deployment': ['operator/domain/graph/build-graph.ts', 'maxNodes'],
  'bytes of the specification of one resource, as stored': [
    'operator/domain/plan/plan-size.ts',
    'maxSpecBytes',
  ],
  'bytes of all specifications that one deployment writes, as stored': [
    'operator/domain/plan/plan-size.ts',
    'maxPlanBytes',
  ],
  'characters that placeholders add to the inputs of one resource': [
    'operator/domain/base/size-limits.ts',
    'maxExpandedLength',
  ],
  'characters of one text with placeholders': ['operator/domain/placeholder/template.ts', 'maxTextLength'],
  'levels of nested values': ['operator/domain/placeholder/placeholder.ts', 'maxDepth'],
  'problems that a plan lists': ['operator/domain/graph/problems.ts', 'maxProblems'],
  'steps of the plan in the status': ['operator/domain/plan/plan.ts', 'maxSummarySteps'],
  'deleted deployments by kubectl and GitOps that an environment remembers': [
    'operator/api/environment.ts',
    'byOthers',
  ],
  'operations of a delta: steps of a path': ['operator/domain/delta/patch.ts', 'maxSteps'],
  'operations of a delta: items of lists that move when others are added or removed': [
    'operator/domain/delta/patch.ts',
    'maxMoves',
  ],
  'bytes of a schema': ['operator/domain/schema/schema-form.ts', 'maxBytes'],
  'levels of a schema': ['operator/domain/schema/schema-parts.ts', 'maxDepth'],
  'characters of a pattern': ['operator/domain/schema/schema-form.ts', 'maxPatternLength'],
  'patterns of a schema': ['operator/domain/schema/schema-form.ts', 'maxPatterns'],
  'bytes of the outputs of one resource': [
    'operator/controllers/active-resource/outputs.ts',
    'maxOutputsBytes',
  ],
  'environments in which a Workload runs': ['operator/api/workload.ts', 'mostEnvironments'],
  'characters of the pods of a workload, times its schedules': [
    'operator/domain/module/repeated-pods.ts',
    'mostCharacters',
  ],
  'earlier instances of one resource that are not deprovisioned yet': [
    'operator/api/active-resource.ts',
    'mostPredecessors',
  ],
  'host names of one resource': ['operator/api/active-resource.ts', 'mostReservedHosts'],
  'bytes of one answer of an HTTP driver': ['operator/drivers/http/polling.ts', 'maxBytes'],
  'values in one answer of an HTTP driver': ['operator/drivers/http/answer-size.ts', 'mostValues'],
  'seconds of one call of an HTTP driver': ['operator/drivers/http/polling.ts', 'totalMs'],
  'bytes of a cookie': ['operator/drivers/http/polling.ts', 'maxCookieBytes'],
  'manifests of one resource': ['operator/drivers/template/manifests.ts', 'most'],
  'milliseconds of work of the templates of a resource': ['operator/templates/templates.ts', 'timeoutMs'],
  'MiB of memory of the templates of a resource': ['operator/templates/templates.ts', 'memoryMb'],
  'characters of a rendered template': ['operator/templates/limits.ts', 'maxTextLength'],
  'characters of all results of the templates of a resource': [
    'operator/templates/limits.ts',
    'maxResultsLength',
  ],
  'bytes of a body': ['api-gateway/settings.ts', 'maxBodyBytes'],
  'levels of a body': ['api-gateway/request/body.ts', 'maxDepth'],
  'keys of a body': ['api-gateway/request/body.ts', 'maxKeys'],
  'characters of a Score file': ['operator/domain/score/parse-score.ts', 'maxTextLength'],
  'YAML tokens of the Score files of a request: keys, values, indicators, spaces and line ends': [
    'operator/domain/score/parse-score.ts',
    'maxTokens',
  ],
  'items of a list without `limit`': ['api-gateway/response/paging.ts', 'maxUnpagedItems'],
  'bytes of a list without `limit`, or of a page with more than one item': [
    'api-gateway/response/item-list.ts',
    'maxListBytes',
  ],
  'bytes of the bodies of a user until their requests are answered': [
    'api-gateway/request/received-bodies.ts',
    'maxReceivedBytes',
  ],
  'bytes of the bodies of all users until their requests are answered': [
    'api-gateway/request/received-bodies.ts',
    'maxReceivedBytesOfAll',
  ],
  'bytes of the bodies of a user that wait for a plan, a preview or a graph': [
    'api-gateway/long-work.ts',
    'mostBytes',
  ],
  'bytes of the bodies of all users that wait for a plan, a preview or a graph': [
    'api-gateway/long-work.ts',
    'mostBytesOfAll',
  ],
  'bytes of the answers to a user that are made or not read yet': ['api-gateway/app.ts', 'maxUnsentBytes'],
  'bytes of the answers to all users that are made or not read yet': [
    'api-gateway/app.ts',
    'maxUnsentBytesOfAll',
  ],
  'connections of one gateway': ['api-gateway/http-server.ts', 'maxConnections'],
  'audit records that a gateway keeps': ['api-gateway/audit/audit.ts', 'defaultLimit'],
  'bytes of a payload': ['operator/domain/deployment/webhook.ts', 'maxPayloadBytes'],
  'levels of a payload': ['operator/domain/deployment/webhook.ts', 'maxDepth'],
  'variables in a payload': ['operator/domain/deployment/webhook.ts', 'maxVariables'],
  'milliseconds until the receiver answers': ['operator/controllers/webhook/webhook-call.ts', 'totalMs'],
}

/** The number that the source gives a constant or a field: a product of integers. */
function numberIn(file: string, name: string): number {
  const source = readFileSync(join(root, file), 'utf8')
  const [, product] = new RegExp(`\\b${name}(?: =|:) ([\\d_]+(?: \\* [\\d_]+)*)`).exec(source) ?? []
  if (product === undefined) throw new Error(`${file} gives '${name}' no number`)
  return product.split(' * ').reduce((result, factor) => result * Number(factor.replaceAll('_', '')), 1)
}

test.each(rows)('the limit of %s is that of the code', (title, shown) => {
  const [file, name] = sources[title] ?? []
  if (file === undefined || name === undefined)
    throw new Error('the test does not know where this limit is set')
  const perUnit = title.startsWith('seconds') ? 1000 : 1
  expect(shown * perUnit).toBe(numberIn(file, name))
})

test('every known limit is on the page', () => {
  expect(rows.map(([title]) => title).sort()).toEqual(Object.keys(sources).sort())
})
