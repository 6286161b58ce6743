import type { Log } from '../../operator/log.ts'

/** Does the second half of a creation; when that fails, undoes the first, so that nothing is left of it. */
export async function undoing(
  log: Log,
  undo: () => Promise<void>,
  finish: () => Promise<void>,
): Promise<void> {
  try {
    await finish()
  } catch (error) {
    await undo().catch((failure: unknown) =>
      log.error('a creation that failed half-way could not be undone', { error: failure }),
    )
    throw error
  }
}
