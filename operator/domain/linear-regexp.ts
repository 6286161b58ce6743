import { RE2JS } from 're2js'

/** The engine for Ajv whose patterns run in linear time, whatever they and the text are. */
export const linearRegExp = Object.assign(
  (pattern: string) => {
    // Spelled as JavaScript does, such as `\u00e9`.
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    // Ajv takes two patterns of the same text for the same pattern: without this, all of them.
    return { test: (text: string) => compiled.test(text), toString: () => pattern }
  },
  { code: 'linearRegExp' },
)
