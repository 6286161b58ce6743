const exponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const powers: Readonly<Record<string, number>> = {
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** The amount of a quantity such as `250m`, `1.5`, `2e3` or `256Mi`; undefined for another text, and for a negative one. */
export function quantityOf(text: string): number | undefined {
  const [, number, suffix = ''] =
    /^\+?(\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})([A-Za-z]{0,2}|[eE][+-]?\d{1,3})$/.exec(text) ?? []
  if (number === undefined) return undefined
  if (/^[eE][+-]?\d/.test(suffix)) return Number(`${number}${suffix}`)
  // A product would be rounded: `700m` and `0.7` are equal.
  if (Object.hasOwn(exponents, suffix)) return Number(`${number}e${exponents[suffix]}`)
  const power = Object.hasOwn(powers, suffix) ? powers[suffix] : undefined
  return power === undefined ? undefined : Number(number) * power
}
