const component = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/
const domain =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/
const tag = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const digest = /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-fA-F]{32,}$/
const longestName = 255

/** Whether the text is a reference to an image: `[registry/]path[:tag][@digest]`. */
export function isImageReference(text: string): boolean {
  const at = text.indexOf('@')
  if (at !== -1 && !digest.test(text.slice(at + 1))) return false
  const named = at === -1 ? text : text.slice(0, at)
  const colon = named.lastIndexOf(':')
  const hasTag = colon > named.lastIndexOf('/')
  if (hasTag && !tag.test(named.slice(colon + 1))) return false
  const name = hasTag ? named.slice(0, colon) : named
  if (name.length > longestName) return false
  const [first = '', ...rest] = name.split('/')
  const isRegistry =
    rest.length > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase())
  if (!isRegistry) return [first, ...rest].every((each) => component.test(each))
  return domain.test(first) && rest.every((each) => component.test(each))
}
