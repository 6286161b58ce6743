import { setTimeout as sleep } from 'node:timers/promises'
import type { Case } from './case.ts'
import { Failure, Skipped } from './failure.ts'
import { expectSame, outputsOf } from './outputs.ts'

const concurrentCalls = 5

/** The orchestrator repeats itself, forgets, dies and comes back: there is still one resource. */
export const repetitionCases: readonly Case[] = [
  {
    name: 'repeat',
    title: 'the same PUT again gives the same outputs',
    needs: 'create',
    async run({ resource, given }) {
      const subject = resource()
      const before = await subject.settle(given)
      expectSame(before, await subject.settle(given), 'at the second PUT')
    },
  },
  {
    name: 'lost-answer',
    title: 'a PUT repeated with an older cookie, after a lost answer, gives the same outputs',
    needs: 'create',
    async run({ resource, given }) {
      const subject = resource()
      await subject.cutPut(given)
      const before = await subject.settle(given)
      subject.cookie = undefined // nothing of all those answers was kept
      expectSame(before, await subject.settle(given), 'after its cookie got lost')
      const { cookie } = subject
      await subject.cutPut(given)
      subject.cookie = cookie
      expectSame(before, await subject.settle(given), 'after an answer got lost')
    },
  },
  {
    name: 'pause',
    title: 'a PUT that was answered 202 may be repeated late',
    needs: 'create',
    async run({ resource, given, absenceMs }) {
      const subject = resource()
      const first = await subject.put(given)
      if (first.status !== 202) throw new Skipped('it does not answer 202')
      await sleep(absenceMs)
      const before = await subject.settle(given)
      expectSame(before, await subject.settle(given), 'after the pause')
    },
  },
  {
    name: 'concurrent',
    title: 'concurrent PUTs of one id are answered 200, 202 or 409, and create one resource',
    needs: 'create',
    async run({ resource, given }) {
      const subject = resource()
      const answers = await Promise.all(Array.from({ length: concurrentCalls }, () => subject.put(given)))
      const wrong = answers.find(({ status }) => ![200, 202, 409].includes(status))
      if (wrong) throw new Failure(`one was answered ${wrong.status}, not 200, 202 or 409`)
      const end = await subject.settle(given)
      for (const answer of answers.filter(({ status }) => status === 200))
        expectSame(outputsOf(answer), end, 'for one of the PUTs')
    },
  },
]
