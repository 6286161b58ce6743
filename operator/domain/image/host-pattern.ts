/** Whether a host fits a pattern as kubelets read it: part by part, with `*`, `?` and `[…]`, and the same port. */
export function fitsHost(pattern: string, host: string): boolean {
  if (pattern === host) return true
  const [patternName = '', patternPort] = pattern.split(':')
  const [name = '', port] = host.split(':')
  const patterns = patternName.split('.')
  const parts = name.split('.')
  return (
    patternPort === port &&
    patterns.length === parts.length &&
    patterns.every((each, index) => fitsPart(each, parts[index] ?? ''))
  )
}

/** The first place where a text between two stars fits is the best one, so that no pattern takes long. */
function fitsPart(pattern: string, part: string): boolean {
  if (!/[*?[]/.test(pattern)) return pattern === part
  const texts = pattern.split('*')
  let rest = part
  for (const [index, text] of texts.entries()) {
    const found = find(text, rest, { atStart: index === 0, atEnd: index === texts.length - 1 })
    if (!found) return false
    rest = rest.slice(found.index + found[0].length)
  }
  return true
}

/** Finds a pattern without stars, which has one length. */
function find(
  text: string,
  part: string,
  { atStart, atEnd }: { readonly atStart: boolean; readonly atEnd: boolean },
): RegExpExecArray | null {
  const source = text.replace(/[.+(){}|$/]/g, '\\$&').replaceAll('?', '.')
  try {
    return new RegExp(`${atStart ? '^' : ''}${source}${atEnd ? '$' : ''}`).exec(part)
  } catch {
    return null // no valid pattern
  }
}
