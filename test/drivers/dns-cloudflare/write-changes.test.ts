import { expect, test } from '@jest/globals'
import type { ChangeResult } from '../../../operator/drivers/dns-cloudflare/api.ts'
import type { Change } from '../../../operator/drivers/dns-cloudflare/decide.ts'
import { createZoneMemory } from '../../../operator/drivers/dns-cloudflare/memory.ts'
import { writeChanges } from '../../../operator/drivers/dns-cloudflare/write-changes.ts'

test('a change whose caller gives up while others are written is not sent', async () => {
  const tasks = ['a', 'b', 'c'].map((name) => ({
    desired: { name, mark: 'm' },
    change: { deletes: [`id-of-${name}`], patches: [], posts: [] },
  }))
  const sent: (readonly string[])[] = []
  const settled: string[] = []
  const outdated = await writeChanges(tasks, {
    zoneId: 'z',
    api: {
      async change(changes: readonly Change[]): Promise<ChangeResult[]> {
        sent.push(changes.flatMap(({ deletes }) => deletes))
        return changes.map(() => ({ written: [] }))
      },
    },
    memory: createZoneMemory(() => 0, { settleMs: 0, confirmMs: 0, overlayMs: 0 }),
    signal: new AbortController().signal,
    size: { batch: 1 },
    isOpen: ({ desired }) => desired.name !== 'b' || sent.length === 0,
    settle: ({ desired }) => settled.push(desired.name),
    onDenied: () => {},
  })
  expect({ sent, settled, outdated }).toEqual({
    sent: [['id-of-a'], ['id-of-c']],
    settled: ['a', 'c'],
    outdated: [],
  })
})
