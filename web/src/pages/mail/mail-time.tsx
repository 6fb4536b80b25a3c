import { inFull } from '../../parts/time/time.tsx'

const hour = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** The time of a message in short form: the hour today, the day this year. */
export function MailTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={inFull(at)}>
      {shortly(new Date(at), new Date())}
    </time>
  )
}

function shortly(then: Date, now: Date): string {
  if (then.toDateString() === now.toDateString()) return hour.format(then)
  return then.getFullYear() === now.getFullYear() ? day.format(then) : date.format(then)
}
