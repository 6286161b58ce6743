import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Case } from './case.ts'
import { Failure, Skipped } from './failure.ts'
import type { DriverInputs } from './inputs.ts'

const largeBytes = 256 * 1024

/** The inputs. */
export const inputCases: readonly Case[] = [
  {
    name: 'update',
    title: 'a PUT with other inputs updates the resource: its outputs equal those of a new resource',
    needs: 'create',
    async run({ resource, given, changed }) {
      if (!changed) throw new Skipped(`the inputs have no 'changed'`)
      const [subject, twin, fresh] = [resource(), resource(), resource()]
      const before = await subject.settle(given)
      const alike = await twin.settle(given)
      const expected = await fresh.settle(changed)
      const after = await subject.settle(changed)
      for (const name of new Set([...Object.keys(before.values), ...Object.keys(expected.values)])) {
        const was = withoutId(before.values[name], subject.id)
        // What differs between two of the same inputs says nothing.
        if (!isDeepStrictEqual(was, withoutId(alike.values[name], twin.id))) continue
        const is = withoutId(after.values[name], subject.id)
        if (!isDeepStrictEqual(is, withoutId(expected.values[name], fresh.id)))
          throw new Failure(
            `the output 'values.${name}' is not that of a new resource with the changed inputs`,
          )
      }
      if (after.id !== before.id) throw new Failure(`'id' changed with the update`)
    },
  },
  {
    name: 'unknown-keys',
    title: 'unknown keys are accepted',
    needs: 'create',
    async run({ resource, given }) {
      const more = { ...given, added_later: { a: 1 }, driver: { ...given.driver, added_later: true } }
      await resource().settle(more)
    },
  },
  {
    name: 'unicode',
    title: 'text in any language is returned unchanged',
    needs: 'create',
    async run({ resource, given }) {
      const marker = `text-${randomBytes(4).toString('hex')}`
      const text = `${marker}-naïve Ünï-日本語-العربية-😀 "quoted" \\ end`
      const subject = resource()
      const inputs = withValue(given, text)
      const first = await subject.put(inputs)
      if (isRefusal(first.status)) throw new Skipped(`it takes no value that it does not know`)
      const found = JSON.stringify(await subject.settle(inputs, first))
      if (found.includes(marker) && !found.includes(JSON.stringify(text).slice(1, -1)))
        throw new Failure('the returned text differs')
    },
  },
  {
    name: 'large-inputs',
    title: 'inputs of 256 KiB are accepted or rejected, without a server error',
    needs: 'create',
    async run({ resource, given }) {
      const subject = resource()
      const inputs = withValue(given, 'x'.repeat(largeBytes))
      const answer = await subject.put(inputs)
      if (isRefusal(answer.status) || answer.status === 413) return
      await subject.settle(inputs, answer)
    },
  },
]

function withValue(given: DriverInputs, contract_text: string): DriverInputs {
  return { ...given, driver: { ...given.driver, values: { ...given.driver.values, contract_text } } }
}

function isRefusal(status: number): boolean {
  return status === 400 || status === 422
}

function withoutId(value: unknown, id: string): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value).replaceAll(id, '<id>'))
}
