import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'

/** Secrets of a test by their purpose; each is unique, and needs escapes in every format. */
export function plantCanaries<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const planted = names.map((name) => [name, `cny-${randomBytes(8).toString('hex')}"/+&=`] as const)
  return Object.fromEntries(planted) as Record<Name, string> // by these very names
}

/** The places of a text that contain a canary, in any form: `<where>: <name> as <form>`. */
export function leaksIn(
  where: string,
  text: string,
  canaries: Readonly<Record<string, string>>,
  isAllowed: (name: string) => boolean = () => false,
): string[] {
  const plain = unpacked(text)
  return Object.entries(canaries)
    .filter(([name]) => !isAllowed(name))
    .flatMap(([name, canary]) =>
      formsOf(canary)
        .filter(([, form]) => plain.includes(form))
        .map(([form]) => `${where}: ${name} as ${form}`),
    )
}

function formsOf(text: string): [string, string][] {
  const bytes = Buffer.from(text)
  // Within a longer text, base64 depends on the number of bytes before; the ends also encode the neighbours.
  const shifted = [0, 1, 2].map((before): [string, string] => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return [`base64 after ${before} bytes`, whole.replace(/=+$/, '').slice(before === 0 ? 0 : 4, -2)]
  })
  return [
    ['it is', text],
    ['JSON', JSON.stringify(text).slice(1, -1)],
    ['part of a URL', encodeURIComponent(text)],
    ['part of a form', new URLSearchParams([['', text]]).toString().slice(1)],
    ['hexadecimal', bytes.toString('hex')],
    ...shifted,
    ...shifted.map(([form, each]): [string, string] => [
      `${form}, for URLs`,
      each.replaceAll('+', '-').replaceAll('/', '_'),
    ]),
    ['gzip in base64', gzipSync(bytes).toString('base64')],
  ]
}

/** The text with its gzip and base64 parts decoded, as compact stores and logs use them. */
function unpacked(text: string): string {
  const packed = text.match(/H4sI[\w+/-]{8,}={0,2}/g) ?? []
  return [text, ...packed.map(unzip)].join('\n')
}

function unzip(base64: string): string {
  try {
    return gunzipSync(Buffer.from(base64, 'base64')).toString()
  } catch {
    return '' // it only began like one
  }
}

/** A text that shows a secret in all forms, as a careless program does. */
export function inAllForms(text: string): string {
  const encoded = ['', 'x', 'xx'].map((before) =>
    Buffer.from(`${before}${text}, and more`).toString('base64'),
  )
  const others = formsOf(text).filter(([form]) => !/base64/.test(form))
  return [...others.map(([, form]) => form), ...encoded].join(' ')
}
