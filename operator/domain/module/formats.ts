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

/** Abbreviations that JavaScript takes for time zones, and Kubernetes does not. */
const abbreviations = new Set(
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(
    ' ',
  ),
)

/** Whether the text names a time zone, such as `Europe/Berlin`. Other than for JavaScript, the case of letters counts. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Z][^/]*(?:\/[A-Z][^/]*)*$/.test(text) || abbreviations.has(text)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    return timeZone === text || timeZone.toLowerCase() !== text.toLowerCase()
  } catch {
    return false
  }
}

const standardResource = /^(?:cpu|memory|ephemeral-storage|hugepages-.+)$/

/** The name of a resource that containers can ask for: one of Kubernetes, or one of a device with its domain. */
export function isResourceName(text: string): boolean {
  if (!isLabelKey(text)) return false
  return text.includes('/') ? !text.startsWith('requests.') : standardResource.test(text)
}

/** Whether a resource is of a device with its domain, which containers can ask for in whole numbers. */
export function isDevice(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/')
}

/** A path of a container without repeated and trailing slashes; undefined when it is not absolute, or leads upwards. */
export function mountPath(path: string): string | undefined {
  if (!path.startsWith('/') || path.includes(':')) return undefined
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  return steps.includes('..') || steps.length === 0 ? undefined : `/${steps.join('/')}`
}
