import type { FuncKeywordDefinition } from 'ajv'

/** Ajv divides doubles: 0.3 / 0.1 is a little less than 3, and with its tolerance 1 / 1e9 is a whole number. */
export const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  error: { message: ({ schema }) => `must be multiple of ${schema}` },
  validate: isMultiple,
}

/** Whether a number is a multiple, as both are written in decimals or as the doubles that they are. */
function isMultiple(divisor: number, value: number): boolean {
  const remainder = value % divisor
  if (remainder === 0 || (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)))
    return remainder === 0
  if (!Number.isFinite(value)) return false
  const [part, whole] = [decimalOf(divisor), decimalOf(value)]
  const exponent = Math.min(part.exponent, whole.exponent)
  return scaled(whole, exponent) % scaled(part, exponent) === 0n
}

interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

/** The shortest decimal number that is read as this double. */
function decimalOf(double: number): Decimal {
  const [mantissa = '', exponent = ''] = double.toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

function scaled({ digits, exponent }: Decimal, lowest: number): bigint {
  return digits * 10n ** BigInt(exponent - lowest)
}
