import { checkItems, FunctionFault } from '../limits.ts'
import { print } from '../print.ts'
import { type Functions, floatArgument, textArgument, wholeArgument } from '../values.ts'

const wholes = (values: readonly unknown[]) => values.map(wholeArgument)
const floats = (values: readonly unknown[]) => values.map(floatArgument)

/** Arithmetic as sprig has it: arguments may be written as text. */
export const numberFunctions: Functions = {
  add: (...values) => wholes(values).reduce((sum, each) => sum + each, 0),
  add1: (value) => wholeArgument(value) + 1,
  sub: (left, right) => wholeArgument(left) - wholeArgument(right),
  mul: (...values) => wholes(values).reduce((product, each) => product * each, 1),
  div: (left, right) => Math.trunc(wholeArgument(left) / divisor(wholeArgument(right))),
  mod: (left, right) => wholeArgument(left) % divisor(wholeArgument(right)),
  max: (...values) => Math.max(...wholes(values)),
  biggest: (...values) => Math.max(...wholes(values)),
  min: (...values) => Math.min(...wholes(values)),
  addf: (...values) => floats(values).reduce((sum, each) => sum + each, 0),
  add1f: (value) => floatArgument(value) + 1,
  subf: (first, ...rest) => floats(rest).reduce((left, each) => left - each, floatArgument(first)),
  mulf: (first, ...rest) => floats(rest).reduce((product, each) => product * each, floatArgument(first)),
  divf: (first, ...rest) => floats(rest).reduce((left, each) => left / divisor(each), floatArgument(first)),
  maxf: (...values) => Math.max(...floats(values)),
  minf: (...values) => Math.min(...floats(values)),
  floor: (value) => Math.floor(floatArgument(value)),
  ceil: (value) => Math.ceil(floatArgument(value)),
  round: (value, places, up = 0.5) => rounded(floatArgument(value), wholeArgument(places), floatArgument(up)),
  int: wholeArgument,
  int64: wholeArgument,
  float64: floatArgument,
  atoi: (value) => (/^[+-]?\d+$/.test(textArgument(value)) ? Number(value) : 0),
  toDecimal: (value) => (/^[+-]?[0-7]+$/.test(print(value)) ? Number.parseInt(print(value), 8) : 0),
  until: (count) => steps(0, wholeArgument(count), wholeArgument(count) < 0 ? -1 : 1),
  untilStep: (start, stop, step) => steps(wholeArgument(start), wholeArgument(stop), wholeArgument(step)),
  seq: (...values) => sequence(wholes(values)).join(' '),
}

function divisor(number: number): number {
  if (number === 0) throw new FunctionFault('divides by zero')
  return number
}

function rounded(value: number, places: number, up: number): number {
  const power = 10 ** places
  const digits = value * power
  return (digits % 1 >= up ? Math.ceil(digits) : Math.floor(digits)) / power
}

function steps(start: number, stop: number, step: number): number[] {
  if (step === 0 || start === stop || start < stop !== step > 0) return []
  const length = Math.ceil((stop - start) / step)
  checkItems(length)
  return Array.from({ length }, (_, i) => start + i * step)
}

function sequence(values: readonly number[]): number[] {
  if (values.length === 0 || values.length > 3) return []
  const end = values.at(-1) ?? 0
  const start = values.length === 1 ? 1 : (values[0] ?? 0)
  const direction = end < start ? -1 : 1
  const step = values.length === 3 ? (values[1] ?? 0) : direction
  return steps(start, end + Math.sign(step), step)
}
