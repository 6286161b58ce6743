import type { Case } from './case.ts'
import { Failure, Skipped } from './failure.ts'
import { hintFault } from './hints.ts'
import { isJson, secretTexts, textsIn } from './inputs.ts'
import { expectNone, expectSame, nullsIn } from './outputs.ts'
import { cookieFault } from './resource.ts'

const locations = ['container', 'volume', 'namespace', 'cluster']

/** Creation of a resource, and the answer to it. */
export const creationCases: readonly Case[] = [
  {
    name: 'create',
    title: 'a PUT, repeated while it is answered 202, ends with 200',
    async run({ resource, given }) {
      await resource().settle(given)
    },
  },
  {
    name: 'outputs',
    title: 'outputs are objects without nulls, for the requested type',
    needs: 'create',
    async run({ resource, given }) {
      const { values, secrets, id, type, misplaced } = await resource().settle(given)
      if (misplaced !== undefined)
        throw new Failure(
          `'${misplaced}' is not read; outputs belong into 'resource.values' and 'resource.secrets'`,
        )
      const [found] = [...nullsIn(values, 'resource.values'), ...nullsIn(secrets, 'resource.secrets')]
      if (found) throw new Failure(`'${found}' is null; omit outputs without a value`)
      if (id !== undefined && typeof id !== 'string') throw new Failure(`'id' is not a string`)
      if (type !== undefined && type !== given.type)
        throw new Failure(`'type' is ${JSON.stringify(type)}, not the requested '${given.type}'`)
    },
  },
  {
    name: 'secrets',
    title: 'secrets are only in resource.secrets',
    needs: 'create',
    async run({ resource, given }) {
      const { values, secrets } = await resource().settle(given)
      const own = textsIn(secrets).filter((text) => text.length >= 8)
      if (secretTexts(given).length + own.length === 0)
        throw new Skipped('no secret of 8 characters or more went in or came out')
      expectNone([...secretTexts(given), ...own], values, 'resource.values')
      expectNone([...secretTexts(given), ...own], Object.keys(values), 'a name in resource.values')
    },
  },
  {
    name: 'manifests',
    title: 'manifests are Kubernetes objects with the id in their names',
    needs: 'create',
    async run({ resource, given }) {
      const subject = resource()
      const { manifests } = await subject.settle(given)
      if (manifests.length === 0) throw new Skipped('it gives no manifests')
      for (const [index, each] of manifests.entries()) checkManifest(each, `manifests[${index}]`, subject.id)
    },
  },
  {
    name: 'hints',
    title: 'the hint of a 202 has times in ISO 8601 and a known status',
    needs: 'create',
    async run({ resource, given }) {
      const subject = resource()
      const first = await subject.put(given)
      if (first.status !== 202) throw new Skipped('it does not answer 202')
      const fault = hintFault(first)
      if (fault) throw new Failure(`in the body of the 202: ${fault}`)
      await subject.settle(given, first)
    },
  },
  {
    name: 'cookie',
    title: 'the cookie is printable and smaller than 10 KiB, and later calls with it succeed',
    needs: 'create',
    async run({ resource, given, client }) {
      const subject = resource()
      await subject.settle(given)
      const cookies = client.exchanges.flatMap(
        ({ answer }) => answer?.headers['set-humanitec-driver-cookie'] ?? [],
      )
      for (const cookie of cookies) {
        const fault = cookieFault(cookie)
        if (fault) throw new Failure(`the cookie cannot be kept: ${fault}`)
      }
      if (subject.cookie === undefined) throw new Skipped('it sets no cookie')
      await subject.settle(given)
    },
  },
  {
    name: 'slow-client',
    title: 'a body that arrives in small pieces is read completely',
    needs: 'create',
    async run({ resource, given }) {
      const subject = resource()
      await subject.settle(given, await subject.put(given, 'drip'))
    },
  },
  {
    name: 'independent',
    title: 'two ids are two resources: a change of one does not affect the other',
    needs: 'create',
    async run({ resource, given }) {
      const [one, other] = [resource(), resource()]
      await one.settle(given)
      const before = await other.settle(given)
      if (textsIn([before.values, before.secrets]).some((text) => text.includes(one.id)))
        throw new Failure('its outputs contain the id of another resource')
      await one.remove()
      expectSame(before, await other.settle(given), 'after another resource was deleted')
    },
  },
]

function checkManifest(manifest: unknown, place: string, id: string): void {
  if (!isJson(manifest)) throw new Failure(`'${place}' is not an object`)
  if (typeof manifest.location !== 'string' || !locations.includes(manifest.location))
    throw new Failure(`'${place}.location' must be one of ${locations.join(', ')}`)
  const data = manifest.data ?? manifest.manifest
  if (!isJson(data)) throw new Failure(`'${place}.data' is not an object`)
  if (manifest.location === 'container' || manifest.location === 'volume') return // a part of the workload's own object
  for (const key of ['apiVersion', 'kind'])
    if (typeof data[key] !== 'string') throw new Failure(`'${place}.data.${key}' is not a string`)
  const name = isJson(data.metadata) ? data.metadata.name : undefined
  if (typeof name !== 'string' || !name.includes(id))
    throw new Failure(`'${place}.data.metadata.name' does not contain the id of the resource`)
}
