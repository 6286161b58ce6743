import type { Violation } from './journal.ts'

const longestDetail = 600

/** What a run prints about a law that it broke. */
export function reportOf(seed: number, { law, object, detail, seconds }: Violation): string {
  return [
    `seed ${seed} breaks a law: ${law}`,
    `  ${object} after ${seconds.toFixed(3)} s: ${detail.slice(0, longestDetail)}`,
    `  repeat: dev/bin/node test/simulation/main.ts ${seed} --log`,
  ].join('\n')
}
