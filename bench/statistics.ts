/** A figure over several runs. */
export interface Range {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** The value below which the given share of the values lies; 0 when there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] ?? 0
  const above = sorted[Math.ceil(at)] ?? below
  return below + (above - below) * (at - Math.floor(at))
}

/** Median, least and greatest of the values. */
export function rangeOf(values: readonly number[]): Range {
  return { median: quantile(values, 0.5), min: quantile(values, 0), max: quantile(values, 1) }
}

/** Rounds to so many digits after the point, so that files stay readable. */
export function rounded(value: number, digits = 3): number {
  return Number(value.toFixed(digits))
}

/** The median of each entry over several records. */
export function medianOfEach(records: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(records.flatMap((each) => Object.keys(each)))
  const medianOf = (name: string) =>
    quantile(
      records.map((each) => each[name] ?? 0),
      0.5,
    )
  return Object.fromEntries([...names].map((name) => [name, rounded(medianOf(name))]))
}
