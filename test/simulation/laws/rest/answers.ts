import type { StoredObject } from '../../../../operator/api/kind.ts'
import { systemNamespace } from '../../../../operator/api/names.ts'
import { sameJson } from '../../../../operator/domain/base/json.ts'
import { keyOf } from '../../../../operator/kube/client/resource.ts'
import type { RestAnswer } from '../../gateway/exchange.ts'
import type { AnswerLaw, Exchange, Subject } from '../../gateway/rest-client.ts'
import { secretMark } from '../../secret-mark.ts'
import { servedAs } from '../../server/resources.ts'
import type { Change } from '../../server/storage.ts'
import { organization, otherOrganization } from '../../surroundings.ts'
import type { World } from '../../world.ts'
import { nameOf } from '../law.ts'

/** Whether a request was answered 4xx. */
export const isRefused = ({ answer }: Exchange) =>
  answer !== undefined && answer.status >= 400 && answer.status < 500
const isAccepted = ({ answer }: Exchange) => answer !== undefined && answer.status < 300

/** What a request left of each object that it wrote: what was there before, and after. */
function effectsOf(
  writes: readonly Change[],
): { readonly before?: StoredObject; readonly after?: StoredObject }[] {
  const effects = new Map<string, { before?: StoredObject; after?: StoredObject }>()
  for (const { served, type, before, object } of writes) {
    const key = `${served.kind} ${keyOf(object)}`
    const known = effects.get(key) ?? (before ? { before } : {})
    const { before: first } = known
    effects.set(key, {
      ...(first ? { before: first } : {}),
      ...(type === 'DELETED' ? {} : { after: object }),
    })
  }
  return [...effects.values()]
}

function stored({ server }: World, organization: string, { kind, name }: Subject): StoredObject | undefined {
  return server.storage.get(servedAs(kind), organization, name)
}

/** Whether an object was there, as the first of its name and not being deleted, all the time of a request. */
function wasThere(subject: Subject, { organization, from }: Exchange, world: World): boolean {
  const served = servedAs(subject.kind)
  const object = stored(world, organization, subject)
  if (!object || object.metadata.deletionTimestamp !== undefined) return false
  const { uid } = object.metadata
  const changes = world.server.storage
    .changesOf(served)
    .filter(
      ({ object: { metadata } }) => metadata.name === subject.name && metadata.namespace === organization,
    )
  // A gateway may still know the earlier one, and answers that the one which it knows has ended.
  if (changes.some((each) => each.object.metadata.uid !== uid)) return false
  const made = changes.find((each) => each.object.metadata.uid === uid)
  return made !== undefined && made.version <= from
}

/**
 * Sets are shared; an application stays when its deletion would end what belonged to an earlier one; a Secret belongs to its
 * owner, which another request of the same content may have made.
 */
export const mayStay = new Set(['DeploymentSet', 'Application', 'Secret'])

/** Whether another request of the same user completed the creation, or may have: `Refusals` looks at that later. */
const isCompletedByOther = ({ call, answer, writes }: Exchange) =>
  call.method === 'POST' && answer?.status === 409 && writes.length === 1

/** Whether a request took back what another one of the same user had begun and it had completed. */
const isTakenBack = ({ writes }: Exchange, { metadata: { uid } }: StoredObject) =>
  writes.some(
    ({ type, object: { kind, metadata } }) =>
      type === 'ADDED' && kind === 'Secret' && metadata.ownerReferences?.some((owner) => owner.uid === uid),
  )

/** Laws of each answer of the gateway. */
export const answerLaws: readonly AnswerLaw[] = [
  {
    law: 'No answer contains a secret.',
    problem: ({ answer }) =>
      answer && (answer.text + JSON.stringify(answer.headers)).includes(secretMark)
        ? 'it has one'
        : undefined,
  },
  {
    law: 'No answer contains a text of another organization.',
    problem: ({ answer, organization: own }) =>
      [organization, otherOrganization]
        .filter((each) => each !== own)
        .map((each) => new RegExp(`${each}-t\\d+`).exec(answer?.text ?? '')?.[0])
        .find((text) => text !== undefined),
  },
  {
    law: 'A request writes in its organization alone.',
    problem: ({ organization: own, writes }) =>
      writes
        .map(({ object }) => object)
        .filter(({ metadata: { namespace } }) => namespace !== own && namespace !== systemNamespace)
        .map(nameOf)[0],
  },
  {
    law: 'Unless a request to the API server fails, no answer is 5xx.',
    problem: ({ answer, isDisturbed }) =>
      answer && answer.status >= 500 && !isDisturbed ? 'nothing failed' : undefined,
  },
  {
    law: 'A refused request has changed nothing.',
    problem(exchange, world) {
      if (!isRefused(exchange) || exchange.isDisturbed || isCompletedByOther(exchange)) return undefined
      const left = effectsOf(exchange.writes).find(
        ({ before, after }) =>
          !mayStay.has(after?.kind ?? '') &&
          !(before && isTakenBack(exchange, before)) &&
          !(after && isGone(after, world)) &&
          // Others may change it later.
          !sameJson(contentOf(before, world), contentOf(after, world)) &&
          !sameJson(contentOf(before, world), contentOf(after && asItIs(after, world), world)),
      )
      const object = left?.after ?? left?.before
      return object && `it changed ${nameOf(object)}`
    },
  },
  {
    law: 'A write about an object that exists is not answered 404, at any gateway.',
    problem(exchange, world) {
      const { answer, call, isDisturbed } = exchange
      if (answer?.status !== 404 || isDisturbed || call.method === 'GET' || !call.about) return undefined
      return call.about.every((each) => wasThere(each, exchange, world))
        ? 'all that it names exists'
        : undefined
    },
  },
]

const current = ({ kind, metadata: { namespace, name } }: StoredObject, { server }: World) =>
  server.storage.get(servedAs(kind), namespace, name)

/** Whether another client has deleted an object since a request wrote it. */
const isGone = (object: StoredObject, world: World) =>
  current(object, world)?.metadata.uid !== object.metadata.uid

/** An object as a request left it, or as one that is being deleted since. */
function asItIs(object: StoredObject, world: World): StoredObject {
  const { deletionTimestamp } = current(object, world)?.metadata ?? {}
  return { ...object, metadata: { ...object.metadata, deletionTimestamp } }
}

/** What a client sees of an object; nothing of one that is being deleted, or whose owner is gone. */
function contentOf(object: StoredObject | undefined, { server }: World): unknown {
  const { uid, deletionTimestamp, namespace, ownerReferences: [owner] = [] } = object?.metadata ?? {}
  if (!object || deletionTimestamp !== undefined) return undefined
  if (owner && !server.storage.get(servedAs(owner.kind), namespace, owner.name)) return undefined
  // An empty list says the same as none.
  return {
    uid,
    spec: JSON.parse(JSON.stringify(object.spec ?? {}), (_, value) => (isEmpty(value) ? undefined : value)),
  }
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0

/** Reads a path at the gateway of an exchange. */
type Read = (exchange: Exchange, path: string) => Promise<RestAnswer | undefined>

/** The law of reading what was written, with a way to read. */
export function readingLaw(read: Read): AnswerLaw {
  return {
    law: 'What a gateway has accepted is shown by its next answer.',
    async problem(exchange, world) {
      const { call, organization, writes } = exchange
      if (!isAccepted(exchange) || !call.shown) return undefined
      const { path, fields } = call.shown
      const answer = await read(exchange, path)
      // The organization may have lost its label.
      if (answer?.status === 403) return undefined
      // Others may have written meanwhile.
      const isSame = writes.every(({ object: { kind, metadata } }, index) => {
        const isLast = !writes.slice(index + 1).some(({ object }) => object.metadata.uid === metadata.uid)
        const current = world.server.storage.get(servedAs(kind), metadata.namespace, metadata.name)
        return !isLast || current?.metadata.resourceVersion === metadata.resourceVersion
      })
      const isWhole = (call.about ?? []).every((each) => {
        const object = stored(world, organization, each)
        return object !== undefined && object.metadata.deletionTimestamp === undefined
      })
      if (!answer || !isSame || !isWhole) return undefined
      if (answer.status !== 200) return `${path} answers ${answer.status}`
      const shown = JSON.parse(answer.text) as Record<string, unknown>
      const other = Object.entries(fields).find(([field, value]) => !sameJson(shown[field], value))
      return (
        other &&
        `${path} shows ${JSON.stringify(shown[other[0]])} as ${other[0]}, not ${JSON.stringify(other[1])}`
      )
    },
  }
}

const laterMs = [0, 700, 3000]

/** The law of reading what was deleted, with a way to read. */
export function deletionLaw(read: Read): AnswerLaw {
  return {
    law: 'What a gateway has deleted it does not show again.',
    async problem(exchange, world) {
      const { call, answer, organization, from, writes } = exchange
      const [subject] = call.about?.slice(-1) ?? []
      if (call.method !== 'DELETE' || answer?.status !== 204 || !subject) return undefined
      const deletedAt =
        writes.findLast(({ object }) => object.metadata.name === subject.name)?.version ?? from
      for (const pause of laterMs) {
        await world.clock.sleep(pause)
        const later = await read(exchange, call.path)
        const { server } = world
        const isNew = server.storage
          .changesOf(servedAs(subject.kind))
          .some(
            ({ type, version, object: { metadata } }) =>
              type === 'ADDED' &&
              version > deletedAt &&
              metadata.name === subject.name &&
              metadata.namespace === organization,
          )
        if (isNew) return undefined
        if (later?.status === 200) return `${pause} ms later it shows it`
      }
      return undefined
    },
  }
}
