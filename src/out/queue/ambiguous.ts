/** A recipient whose delivery is ambiguous: the whole message was sent, and no reply came. */
export interface AmbiguousDelivery {
  readonly recipient: string
  /** By this time no reply had come. */
  readonly at: Date
}

/** The sentence for a message that is not tried any more; undefined if no delivery is ambiguous. */
export function mayHaveArrived(deliveries: readonly AmbiguousDelivery[]): string | undefined {
  const [first] = deliveries.toSorted((one, other) => one.at.getTime() - other.at.getTime())
  if (!first) return undefined
  const others = deliveries.length > 1 ? ` (and ${deliveries.length - 1} more)` : ''
  return `It may have arrived: the whole message was sent to ${first.recipient}${others}, and no reply had come by ${first.at.toISOString()}`
}
