import { FunctionFault } from '../limits.ts'

/** Names of functions by the number of arguments that they take; `+` means that or more. */
const namesByCount: Readonly<Record<string, string>> = {
  '0': 'now uuidv4',
  '0+': 'add addf all any cat coalesce concat dict dig html js keys list print println quote seq squote tuple urlquery',
  '1': `add1 add1f adler32sum ago atoi b32dec b32enc b64dec b64enc base camelcase ceil clean compact deepCopy dir
    duration durationRound empty ext fail first float64 floor fromJson fromJsonArray fromYaml fromYamlArray htmlDate
    initial initials int int64 isAbs kebabcase kindOf last len lower nospace not osBase osClean osDir osExt osIsAbs
    randAlpha randAlphaNum randAscii randBytes randNumeric regexQuoteMeta rest reverse semver sha1sum sha256sum sha512sum shuffle
    snakecase sortAlpha swapcase title toDecimal toJson toPrettyJson toRawJson toString toStrings toYaml trim typeOf
    uniq unixEpoch until untitle upper urlJoin urlParse values`,
  '1+': `and biggest call default divf index max maxf merge mergeOverwrite min minf mul mulf omit or pick pluck printf
    slice subf without`,
  '2': `abbrev append await awaitCondition chunk contains date dateModify deepEqual div ge get gt has hasKey hasPrefix
    hasSuffix htmlDateInZone indent join kindIs le lt mod ne nindent prepend push randInt regexFind regexMatch repeat
    required semverCompare split splitList sub toDate trimAll trimPrefix trimSuffix trunc typeIs typeIsLike unset wrap`,
  '2+': 'eq round',
  '3': `abbrevboth dateInZone plural regexFindAll regexReplaceAll regexReplaceAllLiteral regexSplit replace set splitn
    substr ternary untilStep wrapWith`,
}

const counts = new Map(
  Object.entries(namesByCount).flatMap(([count, names]) =>
    names.split(/\s+/).map((name) => [name, count] as const),
  ),
)

const otherNames = new Map([
  ['trimall', 'trimAll'],
  ['date_modify', 'dateModify'],
  ['must_date_modify', 'dateModify'],
  ['date_in_zone', 'dateInZone'],
])

/** The number of arguments that a function takes, such as `2` or `1+`; undefined for no function. */
export function argumentsOf(name: string): string | undefined {
  const plain = name.replace(/^must([A-Z])/, (_, first: string) => first.toLowerCase())
  return counts.get(otherNames.get(plain) ?? plain)
}

/** Throws when a function takes another number of arguments. */
export function checkArguments(name: string, given: number): void {
  const count = argumentsOf(name)
  if (count === undefined) return
  const least = Number.parseInt(count, 10)
  if (given === least || (given > least && count.endsWith('+'))) return
  const noun = least === 1 ? 'argument' : 'arguments'
  throw new FunctionFault(`takes ${least} ${noun}${count.endsWith('+') ? ' or more' : ''}, not ${given}`)
}
