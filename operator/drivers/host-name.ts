const longestLabel = 63
const digits = 8

/** First label of a generated host name: `<app>-<env>-<8 hex digits of the GUResID>`, shortened before the digits. */
export function hostLabel(applicationId: string, environmentId: string, guResId: string): string {
  const front = `${applicationId}-${environmentId}`.slice(0, longestLabel - digits - 1).replace(/-+$/, '')
  return `${front}-${guResId.slice(0, digits)}`
}
