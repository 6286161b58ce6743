import { checkLength, FunctionFault } from '../limits.ts'
import { byCodePoint } from '../print.ts'
import { isDict } from '../values.ts'

const deepest = 100

/** JSON as Go writes it: keys sorted, what HTML could misread escaped unless `raw`. */
export function jsonText(value: unknown, { indent = '', raw = false } = {}): string {
  const parts: string[] = []
  let length = 0
  const push = (text: string) => {
    length += text.length
    // Lists may share items, so the text can be much larger than the value.
    checkLength(length)
    parts.push(text)
  }
  const text = (leaf: string) => (raw ? JSON.stringify(leaf) : escaped(JSON.stringify(leaf)))
  const visit = (inner: unknown, depth: number): void => {
    if (depth > deepest) throw new FunctionFault(`takes values nested at most ${deepest} deep`)
    const line = indent === '' ? '' : `\n${indent.repeat(depth)}`
    const each = <T>(brackets: string, items: readonly T[], write: (item: T) => void) => {
      if (items.length === 0) return push(brackets)
      push(brackets[0] ?? '')
      items.forEach((item, i) => {
        push(`${i > 0 ? ',' : ''}${line === '' ? '' : `${line}${indent}`}`)
        write(item)
      })
      push(`${line}${brackets[1] ?? ''}`)
    }
    if (Array.isArray(inner)) return each('[]', inner, (item) => visit(item, depth + 1))
    if (typeof inner === 'string') return push(text(inner))
    if (!isDict(inner)) return push(JSON.stringify(inner) ?? 'null')
    each('{}', Object.keys(inner).sort(byCodePoint), (key) => {
      push(`${text(key)}:${indent === '' ? '' : ' '}`)
      visit(inner[key], depth + 1)
    })
  }
  visit(value, 0)
  return parts.join('')
}

function escaped(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
