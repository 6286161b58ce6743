import { execFile } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

const isSoak = Boolean(process.env.QUARTERMASTER_SOAK)
const main = join(import.meta.dirname, '../../../bench/main.ts')
/** A part after one that starts both processes again. */
const share = ['--only', 'few,definitions', '--resident', '1000']
const parts = ['resident', 'explanations']
const otherParts = ['gateway', 'portal', 'environments', 'failover', 'fairness']

test(
  'the benchmark has figures of every part that is chosen, all of them by default',
  async () => {
    const output = join(await mkdtemp(join(tmpdir(), 'quartermaster-bench-')), 'bench.json')
    const options = ['--quick', '--output', output, ...(isSoak ? [] : share)]
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...options])
    const report = JSON.parse(await readFile(output, 'utf8')) as Record<string, unknown>
    expect(Object.keys(report)).toEqual(expect.arrayContaining([...parts, ...(isSoak ? otherParts : [])]))
    expect(stdout).toContain('10 independent')
  },
  isSoak ? 1_800_000 : 600_000,
)
