const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const days = 'sun mon tue wed thu fri sat'.split(' ')

interface Field {
  readonly least: number
  readonly most: number
  /** Names of the numbers from the least one. */
  readonly names?: readonly string[]
}

const fields: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: months },
  { least: 0, most: 6, names: days },
]

/** The sign for micro is that of the unit or the Greek letter. No digits can be read in two ways, so no text takes long. */
const macro =
  /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|every [-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|[u\u00b5\u03bc]s|ms|[smh]))+))$/

/** Whether Kubernetes takes the text as the schedule of a CronJob, such as `0 4 * * *`. */
export function isSchedule(text: string): boolean {
  if (text.startsWith('@')) return macro.test(text)
  const parts = text.trim().split(/\s+/)
  if (parts.length !== fields.length) return false
  return fields.every((field, i) => isField(parts[i] ?? '', field))
}

function isField(text: string, field: Field): boolean {
  return text.split(',').every((part) => part === '' || isRange(part, field))
}

/** A number, a range or a star, with a step or none. */
function isRange(text: string, field: Field): boolean {
  const [range = '', step = '1', ...others] = text.split('/')
  const [first = '', last, ...more] = range.split('-')
  if (others.length > 0 || !/^\+?\d{1,9}$/.test(step) || Number(step) === 0) return false
  if (first === '*' || first === '?') return true
  const from = numberOf(first, field)
  const to = last === undefined ? from : numberOf(last, field)
  return more.length === 0 && from >= field.least && to <= field.most && from <= to
}

function numberOf(text: string, { least, names = [] }: Field): number {
  const index = names.indexOf(text.toLowerCase())
  if (index >= 0) return least + index
  return /^\+?\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}
