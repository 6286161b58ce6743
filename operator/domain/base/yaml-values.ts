import type { ScalarTag, Tags } from 'yaml'

const whole: Pick<ScalarTag, 'tag' | 'default'> = { tag: 'tag:yaml.org,2002:int', default: true }
const fraction: Pick<ScalarTag, 'tag' | 'default'> = { tag: 'tag:yaml.org,2002:float', default: true }

/** The number, or the text where its digits would be lost. */
function exact(text: string, number = Number(text)): number | string {
  return Number.isSafeInteger(number) ? number : text
}

const tags: readonly ScalarTag[] = [
  // The Go libraries of Kubernetes and Score read `0644` as an octal number.
  {
    ...whole,
    format: 'OCT',
    test: /^[-+]?0[0-7]+$/,
    resolve: (text) => exact(text, Number.parseInt(text, 8)),
  },
  { ...whole, test: /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/, resolve: (text) => exact(text) },
  // A hash such as `1234e567` is too large for a number, and a text to Go.
  {
    ...fraction,
    test: /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/,
    resolve: (text) => (Number.isFinite(Number(text)) ? Number(text) : text),
  },
  // JSON has no such number, and would have null.
  {
    ...fraction,
    test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
    resolve: (text, onError) => {
      onError('is no number of JSON')
      return text
    },
  },
  {
    tag: 'tag:yaml.org,2002:binary',
    default: false,
    resolve: (text) => Buffer.from(text, 'base64').toString(),
  },
]

/** How YAML of users is read: as YAML 1.2 with merge keys, and numbers as Go reads them, without values that are not in JSON. */
export const yamlOptions = {
  merge: true,
  logLevel: 'silent',
  resolveKnownTags: false,
  customTags: (known: Tags): Tags => [...tags, ...known],
} as const
