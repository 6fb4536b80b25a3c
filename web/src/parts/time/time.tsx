import { useSyncExternalStore } from 'react'
import { clock } from './clock.ts'

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' })
const ticks = clock(15_000)
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'long' })

/** Date and time in the reader's language and zone. */
export const inFull = (at: string) => full.format(new Date(at))

/** Relative time in the reader's language; the tooltip has the full time in the reader's zone. */
export function Time({ at }: { at: string }) {
  const now = useSyncExternalStore(ticks.follow, ticks.latest)
  return (
    <time dateTime={at} title={inFull(at)}>
      {fromNow(new Date(at), now)}
    </time>
  )
}

function fromNow(date: Date, now: number): string {
  const seconds = (date.getTime() - now) / 1_000
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit)
  return relative.format(0, 'minute')
}
