import { isObject, sameJson } from '../../../../operator/domain/base/json.ts'
import { namespaceResource } from '../../../../operator/kube/client/resource.ts'
import type { RestAnswer } from '../../gateway/exchange.ts'
import type { World } from '../../world.ts'
import type { Finding } from '../law.ts'
import { type Noun, nouns } from './nouns.ts'

type Item = Readonly<Record<string, unknown>>
export type PageFinding = Finding & { readonly law: string }

/** Sends a request about an organization to one gateway. */
export type Ask = (
  method: 'GET' | 'PUT' | 'PATCH',
  path: string,
  body?: unknown,
) => Promise<RestAnswer | undefined>

/** An object as a list shows it. */
interface Shown {
  readonly path: string
  readonly noun: Noun
  readonly item: Item
}

/** What a gateway shows of an organization. */
interface Pages {
  /** The answers by path. */
  readonly texts: ReadonlyMap<string, string>
  readonly objects: readonly Shown[]
}

/** Reads all that a gateway shows of an organization. */
async function readPages(ask: Ask): Promise<Pages> {
  const texts = new Map<string, string>()
  const objects: Shown[] = []
  const read = async (path: string) => {
    const { status, text } = (await ask('GET', path)) ?? {}
    texts.set(path, `${status} ${text}`)
    return status === 200 && text !== undefined ? (JSON.parse(text) as unknown) : undefined // checked by the laws
  }
  const readAll = async (start: string, { path: part, ...noun }: Noun): Promise<void> => {
    const path = `${start}/${part}`
    const items = await read(path)
    for (const item of Array.isArray(items) ? items.filter(isObject) : []) {
      const own = `${path}/${noun.idOf(item)}`
      objects.push({ path: own, noun: { path: part, ...noun }, item })
      if (noun.hasOwnPath) await read(own)
      for (const page of noun.pages) await read(`${own}/${page}`)
      for (const each of noun.below) await readAll(own, each)
    }
  }
  for (const each of nouns) await readAll('', each)
  return { texts, objects }
}

/** What differs between what two gateways show, or one of them at two times. */
function differencesOf(law: string, one: Pages, other: Pages): PageFinding[] {
  const paths = new Set([...one.texts.keys(), ...other.texts.keys()])
  return [...paths]
    .filter((path) => one.texts.get(path) !== other.texts.get(path))
    .map((path) => ({
      law,
      object: `GET ${path}`,
      detail: partsThatDiffer(one.texts.get(path), other.texts.get(path)),
    }))
}

const around = 60
const longest = 200

/** The first place at which two texts differ. */
function partsThatDiffer(one = 'none', other = 'none'): string {
  const at = Array.from({ length: one.length }, (_, index) => index).findIndex(
    (index) => one[index] !== other[index],
  )
  const from = Math.max(0, (at < 0 ? one.length : at) - around)
  return `${one.slice(from, from + longest)} and ${other.slice(from, from + longest)}`
}

/** What is wrong with what a gateway shows. */
function pageFindings({ texts, objects }: Pages): PageFinding[] {
  const failed = [...texts]
    .filter(([, text]) => !text.startsWith('200 '))
    .map(([path, text]) => ({
      law: 'What a gateway shows in a list it shows by itself.',
      object: `GET ${path}`,
      detail: text.slice(0, longest),
    }))
  const differing = objects.flatMap(({ path, noun, item }) => {
    const text = texts.get(path)
    if (!noun.hasOwnPath || !text?.startsWith('200 ')) return []
    const own = noun.partOf(JSON.parse(text.slice(4)) as Item)
    const fields = Object.keys({ ...item, ...own })
    const field = fields.find((each) => !sameJson(item[each], own[each]))
    if (field === undefined) return []
    return [
      {
        law: 'A list shows an object as its own path does.',
        object: `GET ${path}`,
        detail: `${field} is ${JSON.stringify(own[field])}, in the list ${JSON.stringify(item[field])}`,
      },
    ]
  })
  return [...failed, ...differing]
}

/** What is wrong with the answer to an object that was sent back. */
function problemOfEcho(body: unknown, answer: RestAnswer | undefined, writes: number): string | undefined {
  const { status = 0, text = '' } = answer ?? {}
  if (writes > 0) return `${writes} writes`
  if (status === 204) return undefined
  if (status !== 200) return `it answers ${status} ${text.slice(0, longest)}`
  const isSame = sameJson(JSON.parse(text), body)
  return isSame ? undefined : `it answers ${partsThatDiffer(text, JSON.stringify(body))}`
}

/** What is wrong when each object is sent back as it is shown: nothing may be written. */
async function echoFindings({ server }: World, { texts, objects }: Pages, ask: Ask): Promise<PageFinding[]> {
  const findings: PageFinding[] = []
  for (const { path, noun, item } of objects.filter((each) => !each.noun.isFixed(each.item))) {
    const text = noun.hasOwnPath ? texts.get(path) : undefined
    const body = text?.startsWith('200 ') ? (JSON.parse(text.slice(4)) as unknown) : item
    for (const method of noun.changes) {
      const before = server.storage.version + server.idleWrites
      const answer = await ask(method, path, body)
      const detail = problemOfEcho(body, answer, server.storage.version + server.idleWrites - before)
      const law = 'What a gateway shows can be sent back, and writes nothing.'
      if (detail !== undefined) findings.push({ law, object: `${method} ${path}`, detail })
    }
  }
  return findings
}

/** What a gateway has shown, and at which version of the storage. */
export interface KnownPages {
  readonly pages: Pages
  readonly version: number
  readonly ask: Ask
}

/** Checks all that the gateways show of an organization when nothing has failed for long. */
export async function checkPages(
  world: World,
  organization: string,
  asks: readonly Ask[],
): Promise<{ readonly findings: PageFinding[]; readonly pages: readonly KnownPages[] }> {
  const { storage } = world.server
  if (!storage.get(namespaceResource, undefined, organization)) return { findings: [], pages: [] }
  const known: KnownPages[] = []
  for (const ask of asks) known.push({ pages: await readPages(ask), version: storage.version, ask })
  const [first, ...others] = known
  if (!first) return { findings: [], pages: [] }
  const law = 'All gateways show the same.'
  const findings = [
    ...pageFindings(first.pages),
    ...others.flatMap(({ pages, version }) =>
      version === first.version ? differencesOf(law, first.pages, pages) : [],
    ),
    ...(await echoFindings(world, first.pages, first.ask)),
  ]
  return { findings, pages: known }
}

/** What is wrong with what a gateway shows now, if nothing was written since. */
export async function pagesLater(world: World, { pages, version, ask }: KnownPages): Promise<PageFinding[]> {
  const { storage } = world.server
  if (storage.version !== version) return []
  return differencesOf('While nothing changes, a gateway shows the same.', pages, await readPages(ask))
}
