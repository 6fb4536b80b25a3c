import { useSyncExternalStore } from 'react'
import { clock } from './clock.ts'
import { inFull } from './time.tsx'

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const seconds = clock(1_000)
const list = new Intl.ListFormat(undefined, { type: 'unit', style: 'narrow' })

/** The time left, in two units, as days and hours or minutes and seconds; and the time itself, in the reader's zone. */
export function Countdown({ to }: { to: string }) {
  const now = useSyncExternalStore(seconds.follow, seconds.latest)
  const left = Math.round((new Date(to).getTime() - now) / 1_000)
  return (
    <>
      {left > 0 && <div>{inTwoUnits(left)}</div>}
      <small>
        <time dateTime={to}>{inFull(to)}</time>
      </small>
    </>
  )
}

function inTwoUnits(seconds: number): string {
  const first = Math.max(
    0,
    units.findIndex(([, length]) => seconds >= length),
  )
  let rest = seconds
  const parts = units.slice(first, first + 2).map(([unit, length]) => {
    const value = Math.floor(rest / length)
    rest -= value * length
    return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'short' }).format(value)
  })
  return list.format(parts)
}
