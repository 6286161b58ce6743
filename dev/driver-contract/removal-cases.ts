import type { Case } from './case.ts'
import { Failure, Skipped } from './failure.ts'

/** Taking a resource away. */
export const removalCases: readonly Case[] = [
  {
    name: 'delete',
    title: 'a DELETE, repeated while it is answered 202, ends with 204',
    needs: 'create',
    async run({ resource, given }) {
      const subject = resource()
      await subject.settle(given)
      const first = await subject.delete()
      if (first.status === 404) throw new Failure('an existing resource was answered 404')
      await subject.remove(first)
    },
  },
  {
    name: 'delete-twice',
    title: 'a repeated DELETE is answered 204 or 404',
    needs: 'create',
    async run({ resource, given }) {
      const subject = resource()
      await subject.settle(given)
      const { cookie } = subject
      await subject.remove()
      expectGone((await subject.delete()).status)
      subject.cookie = cookie // as after a 204 that got lost
      expectGone((await subject.delete()).status)
    },
  },
  {
    name: 'delete-unknown',
    title: 'a DELETE of a resource that never existed is answered 204 or 404',
    async run({ resource }) {
      expectGone((await resource().delete()).status)
    },
  },
  {
    name: 'delete-without-cookie',
    title: 'a DELETE without the cookie is not answered with a server error',
    needs: 'create',
    async run({ resource, given, warn }) {
      const subject = resource()
      await subject.settle(given)
      const { cookie } = subject
      if (cookie === undefined) throw new Skipped('it sets no cookie')
      subject.cookie = undefined
      const { status } = await subject.delete()
      if (status >= 500) throw new Failure(`it was answered ${status}`)
      if (status !== 204 && status !== 202) {
        warn(`it was answered ${status}: without its cookie the resource stays behind`)
        subject.cookie = cookie
      }
    },
  },
  {
    name: 'create-after-delete',
    title: 'a PUT after the DELETE creates the resource again',
    needs: 'create',
    async run({ resource, given }) {
      const subject = resource()
      await subject.settle(given)
      await subject.remove()
      await subject.settle(given)
      await subject.remove()
    },
  },
  {
    name: 'delete-during-create',
    title: 'a DELETE during the creation deletes the resource',
    needs: 'create',
    async run({ resource, given }) {
      const subject = resource()
      const first = await subject.put(given)
      if (first.status !== 202) throw new Skipped('it does not answer 202')
      await subject.remove()
      expectGone((await subject.delete()).status)
      await subject.settle(given)
    },
  },
]

function expectGone(status: number): void {
  if (status !== 204 && status !== 404) throw new Failure(`it was answered ${status}, not 204 or 404`)
}
