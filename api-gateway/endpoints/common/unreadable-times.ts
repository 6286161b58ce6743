import { Problem } from '../../../operator/domain/base/errors.ts'

/** Throws Invalid for a time that JSON Schema allows and JavaScript cannot compare, such as a leap second. */
export function refuseUnreadableTimes(times: Readonly<Record<string, string | undefined>>): void {
  for (const [name, time] of Object.entries(times))
    if (time !== undefined && Number.isNaN(Date.parse(time)))
      throw new Problem(
        'Invalid',
        `'${name}' is not a time that can be compared, such as 2026-01-01T00:00:00Z`,
      )
}
