/** A recipient whose delivery is ambiguous: the whole message was sent, and no reply came. */
export interface Doubt {
  readonly recipient: string
  /** By this time no reply had come. */
  readonly at: Date
}

/** The sentence for a message that is not tried any more; undefined if no delivery is ambiguous. */
export function mayHaveArrived(doubts: readonly Doubt[]): string | undefined {
  const [first] = doubts.toSorted((one, other) => one.at.getTime() - other.at.getTime())
  if (!first) return undefined
  const others = doubts.length > 1 ? ` (and ${doubts.length - 1} more)` : ''
  return `It may have arrived: the whole message was sent to ${first.recipient}${others}, and no reply had come by ${first.at.toISOString()}`
}
