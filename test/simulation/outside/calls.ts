import { Waiting } from '../../../operator/domain/base/errors.ts'
import { type Life, never } from '../process/life.ts'
import type { Surroundings } from '../surroundings.ts'

/** Longer than the deadline of a call. */
const hangMs = 90_000

/**
 * A call of a provider, which `act` does. It can be late, fail, hang or ask to wait before; its answer can be lost, or
 * come after the deadline, when all is done.
 */
export async function callProvider(
  { clock, faults, journal, random }: Surroundings,
  life: Life,
  what: string,
  act: () => void,
): Promise<void> {
  await clock.sleep(faults.isOn ? 1 + random.below(random.chance(0.1) ? 20_000 : 200) : 5)
  if (!life.isAlive) await never
  const fate = faults.isOn ? random.below(100) : 50
  if (fate < 4) throw new Error('the provider refuses')
  if (fate === 4) {
    journal.note(`PROVIDER hangs before ${what}`)
    await clock.sleep(hangMs)
    throw new Error('the provider does not answer')
  }
  if (fate === 5) throw new Waiting('Progressing', 'the provider works', 3)
  act()
  journal.note(`PROVIDER ${what}`)
  if (fate >= 96) throw new Error('the answer of the provider is lost')
  if (fate === 95) {
    journal.note(`PROVIDER answers late: ${what}`)
    await clock.sleep(hangMs)
  }
  await clock.sleep(faults.isOn ? 1 + random.below(50) : 1)
  if (!life.isAlive) await never
}
