/** How far ahead messages can be scheduled (docs/reference/scheduled.md). */
const mostDays = 31

/** From the next minute to a month ahead. */
export function windowFrom(now: Date): { first: Date; last: Date } {
  const first = new Date(now)
  first.setMinutes(now.getMinutes() + 1, 0, 0)
  // Days of 24 hours: after a change of the clocks the hour differs.
  const last = new Date(now.getTime() + mostDays * 86_400_000)
  last.setSeconds(0, 0)
  return { first, last }
}

/** Likely times for sending later. */
export function choicesFrom(now: Date): { name: string; at: Date }[] {
  const at = (days: number, hour: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour)
  const untilMonday = (8 - now.getDay()) % 7 || 7
  return [
    ...(now.getHours() < 17 ? [{ name: 'This evening', at: at(0, 18) }] : []),
    { name: 'Tomorrow morning', at: at(1, 8) },
    { name: 'Tomorrow afternoon', at: at(1, 13) },
    ...(untilMonday > 1 ? [{ name: 'Monday morning', at: at(untilMonday, 8) }] : []),
  ]
}
