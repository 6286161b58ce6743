import { RE2JS } from 're2js'

/** Compiles a pattern in JavaScript syntax, such as `\u00e9`, to one that runs in linear time. */
export function compileLinear(pattern: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(pattern))
}

/** A regular expression engine for Ajv that runs in linear time. */
export const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = compileLinear(pattern)
    // Ajv uses the text as the cache key of a pattern.
    return { test: (text: string) => compiled.test(text), toString: () => pattern }
  },
  { code: 'linearRegExp' },
)
