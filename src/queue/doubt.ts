/** A recipient of whom nobody knows whether they have a message: the whole of it was sent, and no answer came. */
export interface Doubt {
  readonly recipient: string
  /** By when none had come. */
  readonly at: Date
}

/** What is to be said of a message that nobody tries to send any more; undefined where there is no doubt. */
export function mayHaveArrived(doubts: readonly Doubt[]): string | undefined {
  const [first] = doubts.toSorted((one, other) => one.at.getTime() - other.at.getTime())
  if (!first) return undefined
  const others = doubts.length > 1 ? ` (and ${doubts.length - 1} more)` : ''
  return `It may have arrived: the whole message was sent to ${first.recipient}${others}, and no reply had come by ${first.at.toISOString()}`
}
