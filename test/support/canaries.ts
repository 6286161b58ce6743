import { randomBytes } from 'node:crypto'

/** Secrets of a test by what they are for; each is like no other text, and needs to be escaped wherever it goes. */
export function plantCanaries<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const planted = names.map((name) => [name, `cny-${randomBytes(8).toString('hex')}"/+&=`] as const)
  return Object.fromEntries(planted) as Record<Name, string> // by these very names
}

/** Where a text shows a canary, in whatever form: `<where>: <name> as <form>`. */
export function leaksIn(
  where: string,
  text: string,
  canaries: Readonly<Record<string, string>>,
  isAllowed: (name: string) => boolean = () => false,
): string[] {
  return Object.entries(canaries)
    .filter(([name]) => !isAllowed(name))
    .flatMap(([name, canary]) =>
      formsOf(canary)
        .filter(([, form]) => text.includes(form))
        .map(([form]) => `${where}: ${name} as ${form}`),
    )
}

function formsOf(text: string): [string, string][] {
  const bytes = Buffer.from(text)
  // Within a longer text, base64 depends on how many bytes came before; the ends belong to the neighbours, too.
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
  ]
}

/** A text that shows a secret in all forms, as a careless program does. */
export function inAllForms(text: string): string {
  const encoded = ['', 'x', 'xx'].map((before) =>
    Buffer.from(`${before}${text}, and more`).toString('base64'),
  )
  const others = formsOf(text).filter(([form]) => !form.startsWith('base64'))
  return [...others.map(([, form]) => form), ...encoded].join(' ')
}
