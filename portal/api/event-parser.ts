/** One server-sent event. */
export interface ServerEvent {
  readonly name: string
  readonly data: unknown
}

/** Returns a function that takes the next part of a stream and returns the events that it completes. */
export function createEventParser(): (part: string) => readonly ServerEvent[] {
  let rest = ''
  return (part) => {
    const blocks = (rest + part).split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => {
      const fields = new Map(
        block.split('\n').map((line) => {
          const colon = line.indexOf(':')
          return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const
        }),
      )
      const [name, data] = [fields.get('event'), parse(fields.get('data'))]
      return name === undefined ? [] : [{ name, data }]
    })
  }
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return undefined
  }
}
