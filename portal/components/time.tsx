import { useEffect, useState } from 'preact/hooks'

const units: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

const drawEveryMs = 30_000

/** A time as its distance from now, which grows while the page is open; the exact time is the tooltip. */
export function Time({ at }: { readonly at: string }) {
  const [, draw] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => draw((count) => count + 1), drawEveryMs)
    return () => clearInterval(timer)
  }, [])
  const moment = new Date(at)
  if (Number.isNaN(moment.getTime())) return null
  return (
    <time dateTime={at} title={absolute.format(moment)}>
      {distance(moment)}
    </time>
  )
}

function distance(moment: Date): string {
  const seconds = Math.round((moment.getTime() - Date.now()) / 1000)
  const [unit, size] = units.find(([, least]) => Math.abs(seconds) >= least) ?? []
  return unit && size ? relative.format(Math.round(seconds / size), unit) : 'just now'
}
