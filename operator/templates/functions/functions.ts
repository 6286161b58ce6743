import {
  type FuncMap,
  sprigConversions,
  sprigDatetime,
  sprigDefaults,
  sprigHash,
  sprigLists,
  sprigRandom,
  sprigSemver,
  sprigStrings,
} from '@promptctl/go-template-js'
import { checkItems, checkLength } from '../limits.ts'
import { type Functions, wholeArgument } from '../values.ts'
import { dictFunctions } from './dicts.ts'
import { encodingFunctions } from './encodings.ts'
import { listFunctions } from './lists.ts'
import { numberFunctions } from './numbers.ts'
import { regularExpressionFunctions } from './regular-expressions.ts'
import { textFunctions } from './texts.ts'
import { typeFunctions } from './types.ts'
import { urlFunctions } from './urls.ts'
import { versionFunctions } from './versions.ts'
import { waitingFunctions } from './waiting.ts'
import { wordFunctions } from './words.ts'

const ours: Functions = {
  ...dictFunctions,
  ...encodingFunctions,
  ...listFunctions,
  ...numberFunctions,
  ...regularExpressionFunctions,
  ...textFunctions,
  ...typeFunctions,
  ...urlFunctions,
  ...versionFunctions,
  ...waitingFunctions,
  ...wordFunctions,
}

/** All functions of templates: none uses network, environment or files. */
export function templateFunctions(): FuncMap {
  const theirs: FuncMap = {
    ...sprigConversions(),
    ...sprigDatetime(),
    ...sprigDefaults(),
    ...sprigHash(),
    ...sprigLists(),
    ...sprigRandom(randomNumber),
    ...sprigSemver(),
    ...sprigStrings(),
  }
  const all: FuncMap = {
    ...mapFunctions(theirs, ({ fn, ...rest }, name) => ({ ...rest, fn: guarded(name, fn as AnyFunction) })),
    ...Object.fromEntries(
      Object.entries(ours).map(([name, fn]) => [name, { fn: guarded(name, fn), argTypes: [] }]),
    ),
  }
  // In sprig, the `must` variants fail instead of returning nothing. Here, all variants fail.
  const must = Object.entries(all).map(
    ([name, fn]) => [`must${name[0]?.toUpperCase()}${name.slice(1)}`, fn] as const,
  )
  const aliases = {
    trimall: all.trimAll,
    date_modify: all.dateModify,
    must_date_modify: all.dateModify,
    date_in_zone: all.dateInZone,
  }
  return { ...Object.fromEntries(must), ...all, ...(aliases as FuncMap) }
}

type AnyFunction = (...values: readonly unknown[]) => unknown

function mapFunctions(
  map: FuncMap,
  change: (each: FuncMap[string], name: string) => FuncMap[string],
): FuncMap {
  return Object.fromEntries(Object.entries(map).map(([name, each]) => [name, change(each, name)]))
}

const sized = new Set(['randAlpha', 'randAlphaNum', 'randNumeric', 'randAscii'])

/** Bounds the result of a function, so that no chain of calls grows without limit. */
function guarded(name: string, fn: AnyFunction): AnyFunction {
  return (...values) => {
    if (sized.has(name)) checkLength(wholeArgument(values[0]))
    const result = fn(...values)
    if (typeof result === 'string') checkLength(result.length)
    if (Array.isArray(result)) checkItems(result.length)
    return result
  }
}

// A cryptographically secure source, since templates generate passwords.
function randomNumber(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53
}
