const form = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** A moment in RFC 3339 with its offset (decisions, Conventions); undefined where the text is anything else. */
export function readTimestamp(text: string): Date | undefined {
  const upper = text.toUpperCase()
  const [, year, month, day] = form.exec(upper) ?? []
  // `Date` takes the 30th of February for the 2nd of March.
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  if (day === undefined || !(Number(day) >= 1 && Number(day) <= days)) return undefined
  const at = new Date(upper)
  return Number.isNaN(at.getTime()) ? undefined : at
}
