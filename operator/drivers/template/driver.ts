import type { KubeObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { canonicalJson, isObject, ownValue, parseJson } from '../../domain/base/json.ts'
import { partsOutput } from '../../domain/rendering/pod-parts.ts'
import { mergeObjects } from '../../domain/schema/secret-outputs.ts'
import type { Results, Step, Templates } from '../../templates/templates.ts'
import type { Cookie, Driver, ObservedReference, Outputs, Provisioned, ProvisionRequest } from '../driver.ts'
import { renderTemplates, templateData } from '../rendering.ts'
import {
  isSecret,
  type Plain,
  plainOutputs,
  refuseLeak,
  secretWords,
  secretWordsOfParams,
} from '../secret-leak.ts'
import { templateDescriptor } from './descriptor.ts'
import { type Made, objectsOf, type Part, podPartsIn } from './manifests.ts'
import { withoutSecrets, withSecrets } from './seen-objects.ts'
import { readsObjects, type Sources, sourcesOf } from './template-inputs.ts'

const longestCookie = 65_536

/** Renders Go templates to objects, which the caller applies, and outputs. */
export function createTemplateDriver({ templates }: { readonly templates: Templates }): Driver {
  return {
    descriptor: templateDescriptor,
    needsCookie: (request) => sourcesOf(request).cookie !== undefined,
    provision: (request) => provision(request, templates),
    async deprovision() {},
  }
}

async function provision(request: ProvisionRequest, templates: Templates): Promise<Provisioned> {
  const sources = sourcesOf(request)
  const isLater = readsObjects(sources)
  const before = await readCookie(request.cookie)
  const data = { ...templateData(request), init: null, cookie: before ?? null }
  const steps = [
    ...step('init', sources.init, 'init'),
    ...step('cookie', sources.cookie, 'cookie'),
    ...(isLater ? [] : outputSteps(sources)),
    ...step('manifests', sources.manifests).map((each) => ({ ...each, reads: 'manifests' as const })),
    ...observedSteps(request.values.observed),
  ]
  const results = await renderTemplates(templates, steps, data, request)
  const words = secretWordsOf(request, sources, results, before)
  const made = objectsOf(results.manifests, request.namespace)
  refuseLeak(
    made.flatMap((each) => plainManifest(each, sources)),
    words,
  )
  const parts = podPartsIn(results.manifests)
  refuseLeak(
    parts.map((each) => plainPart(each, sources)),
    words,
  )
  const outputs = withParts(isLater ? { values: {}, secrets: {} } : outputsOf(results, words), parts)
  if (sources.cookie !== undefined) await keepCookie(request.cookie, before, results.cookie)
  const objects = made.map(({ object }) => object)
  if (!isLater) return { outputs, objects }

  const known = { ...data, ...pick(results, ['init', 'cookie']) }
  const observed = observedReferences(request.values.observed, results.observed)
  return {
    outputs,
    objects,
    observed,
    async outputsFrom(live, found) {
      const own = made.map(({ manifest }, i) => [manifest, live[i]] as const)
      const others = Object.keys(observed).map((name) => [name, found[name]] as const)
      const seen = await telling(observed, found, () =>
        renderTemplates(templates, outputSteps(sources, own, others), known, request),
      )
      return withParts(outputsOf(seen, words), parts)
    },
  }
}

function step(name: string, template: unknown, as?: string): Step[] {
  return template === undefined ? [] : [{ name, template, reads: 'yaml', as }]
}

type Named = readonly (readonly [name: string, object: KubeObject | undefined])[]

/** Renders plain outputs, then secret ones, which can use them; secret ones alone see the content of Secrets. */
function outputSteps({ outputs, secretOutputs }: Sources, own: Named = [], others: Named = []): Step[] {
  const plain = { objects: withoutSecrets(own), observed: withoutSecrets(others, { absent: true }) }
  const secret = { objects: withSecrets(own), observed: withSecrets(others) }
  return [
    ...step('outputs', outputs, 'outputs.values').map((each) => ({ ...each, besides: plain })),
    ...secretOutputs.flatMap((template, i) =>
      step(`secrets${i === 0 ? '' : i + 1}`, template).map((each) => ({ ...each, besides: secret })),
    ),
  ]
}

function outputsOf(results: Results, words: readonly string[]): Outputs {
  const values = mapOf('outputs', results.outputs)
  refuseLeak(plainOutputs(values), words)
  const secrets = Object.entries(results)
    .filter(([name]) => /^secrets\d*$/.test(name))
    .map(([name, value]) => mapOf(name, value))
  return { values, secrets: secrets.reduce(mergeObjects, {}) as FreeForm }
}

/** The outputs with the parts of pods, which workloads read there. */
function withParts({ values, secrets }: Outputs, parts: readonly Part[]): Outputs {
  if (parts.length === 0) return { values, secrets }
  if (Object.hasOwn(values, partsOutput))
    throw new Stalled('InvalidOutputs', `the output '${partsOutput}' is the place of containers and volumes`)
  const manifests = parts.map(({ location, data }) => ({ location, data }))
  return { values: { ...values, [partsOutput]: manifests }, secrets }
}

function mapOf(name: string, value: unknown): FreeForm {
  if (value === undefined || value === null || value === '') return {}
  if (!isObject(value))
    throw new Stalled('InvalidOutputs', `the template '${name}' must give a map of outputs`)
  return value
}

/** The texts that no object or output may contain: the secret inputs, and results of templates that contain secrets. */
function secretWordsOf(
  request: ProvisionRequest,
  { secretParts }: Sources,
  results: Results,
  before: unknown,
): readonly string[] {
  const { templates: _, ...secrets } = request.secrets
  const init = partAt(secretParts.init, results.init)
  // The cookie of the call before may hold the secret of then.
  const cookies = [results.cookie, before].map((cookie) => partAt(secretParts.cookie, cookie))
  return [...secretWords([secrets, init, cookies]), ...secretWordsOfParams(request)]
}

/** The part of a result that a part of its template gave; all of it when the template is one text. */
function partAt(template: unknown, result: unknown): unknown {
  if (!isObject(template) || !isObject(result)) return template === undefined ? undefined : result
  return Object.entries(template).map(([key, each]) => partAt(each, ownValue(result, key)))
}

/** The object to search for secrets; none for a Secret. Throws if its template contains a secret. */
function plainManifest({ manifest, object }: Made, sources: Sources): readonly Plain[] {
  if (isSecret(object)) return []
  refuseSecretTemplate(manifest, object.kind, sources)
  return [[`manifest '${manifest}'`, object]]
}

/** The same for a part of pods. */
function plainPart({ manifest, location, data }: Part, sources: Sources): Plain {
  refuseSecretTemplate(manifest, `part of the ${location} of pods`, sources)
  return [`manifest '${manifest}'`, data]
}

function refuseSecretTemplate(manifest: string, what: string, { secretParts }: Sources): void {
  const { manifests } = secretParts
  const holdsOne = isObject(manifests) ? Object.hasOwn(manifests, manifest) : manifests !== undefined
  if (!holdsOne) return
  const message = `manifest '${manifest}' is a ${what}, and a placeholder puts a secret into its template: move the secret to a secret input, and use '.driver.secrets' in a manifest of a Secret`
  throw new Stalled('SecretLeak', message)
}

function observedSteps(observed: unknown): Step[] {
  if (!isObject(observed)) return []
  const names = Object.entries(observed).map(([key, each]) => [key, isObject(each) ? each.name : undefined])
  return [{ name: 'observed', template: Object.fromEntries(names), reads: 'text' }]
}

function observedReferences(observed: unknown, names: unknown): Record<string, ObservedReference> {
  if (!isObject(observed) || !isObject(names)) return {}
  return Object.fromEntries(
    Object.entries(observed).map(([key, each]) => {
      const { apiVersion, kind } = each as ObservedReference // the schema was checked
      return [key, { apiVersion, kind, name: String(names[key]).trim() }]
    }),
  )
}

/** Names the observed objects that do not exist in the message of a wait. */
async function telling<T>(
  observed: Readonly<Record<string, ObservedReference>>,
  found: Readonly<Record<string, KubeObject | undefined>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const missing = Object.entries(observed).filter(([name]) => !found[name])
    if (!(error instanceof Waiting) || missing.length === 0) throw error
    const list = missing.map(([, { kind, name }]) => `${kind} '${name}'`).join(', ')
    throw new Waiting(error.reason, `${error.message}; not there yet: ${list}`, error.retryAfterSeconds)
  }
}

async function readCookie(cookie: Cookie | undefined): Promise<unknown> {
  const text = await cookie?.read()
  return text === undefined ? undefined : parseJson(text) // the cookie of the previous driver may not be JSON
}

async function keepCookie(cookie: Cookie | undefined, before: unknown, next: unknown): Promise<void> {
  const isNothing = next === undefined || next === null || next === ''
  const text = isNothing ? undefined : canonicalJson(next)
  if (text === (before === undefined ? undefined : canonicalJson(before))) return
  if (text !== undefined && text.length > longestCookie)
    throw new Stalled('InvalidCookie', `the template 'cookie' gives more than ${longestCookie} characters`)
  await cookie?.write(text)
}

function pick(results: Results, names: readonly string[]): FreeForm {
  return Object.fromEntries(names.filter((name) => name in results).map((name) => [name, results[name]]))
}
