const dnsLabel = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/
const dnsSubdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/
const qualifiedName = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/

export const longestLabel = 63
const longestSubdomain = 253

/** A DNS label: lower-case letters, digits and hyphens, at most 63 characters. */
export function isDnsLabel(text: string): boolean {
  return text.length <= longestLabel && dnsLabel.test(text)
}

/** DNS labels joined by dots. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= longestSubdomain && dnsSubdomain.test(text)
}

/** The key of a label or an annotation: a name, with an optional domain and a slash before it. */
export function isLabelKey(text: string): boolean {
  const parts = text.split('/')
  const name = parts.pop() ?? ''
  if (parts.length > 1 || (parts[0] !== undefined && !isDnsSubdomain(parts[0]))) return false
  return name.length <= longestLabel && qualifiedName.test(name)
}

/** The value of a label. */
export function isLabelValue(text: string): boolean {
  return text === '' || (text.length <= longestLabel && qualifiedName.test(text))
}

const exponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const powers: Readonly<Record<string, number>> = {
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** The amount of a quantity such as `250m`, `1.5`, `2e3` or `256Mi`; undefined for another text, and for a negative one. */
export function quantityOf(text: string): number | undefined {
  const [, number, suffix = ''] =
    /^\+?(\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})([A-Za-z]{0,2}|[eE][+-]?\d{1,3})$/.exec(text) ?? []
  if (number === undefined) return undefined
  if (/^[eE][+-]?\d/.test(suffix)) return Number(`${number}${suffix}`)
  // A product would be rounded: `700m` and `0.7` are equal.
  if (Object.hasOwn(exponents, suffix)) return Number(`${number}e${exponents[suffix]}`)
  const power = Object.hasOwn(powers, suffix) ? powers[suffix] : undefined
  return power === undefined ? undefined : Number(number) * power
}

const cronField = /^[-*?/,\dA-Za-z#]+$/
const macros = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|every .+)$/

/** Whether the text has the form of a cron schedule. */
export function isSchedule(text: string): boolean {
  if (text.startsWith('@')) return macros.test(text)
  const fields = text.trim().split(/\s+/)
  return fields.length === 5 && fields.every((each) => cronField.test(each))
}

/** A path of a container without repeated and trailing slashes; undefined when it is not absolute, or leads upwards. */
export function mountPath(path: string): string | undefined {
  if (!path.startsWith('/') || path.includes(':')) return undefined
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  return steps.includes('..') || steps.length === 0 ? undefined : `/${steps.join('/')}`
}
