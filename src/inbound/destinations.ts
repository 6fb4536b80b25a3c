import { patternsAgainst } from '#/blocked-senders/pattern.ts'
import type { Admitted, Returning } from './admit.ts'
import type { Envelope } from './envelope.ts'
import type { Blockable } from './queries.ts'

/** A mailbox that a message is for, with every address of it that RCPT named. */
export interface Destination extends Omit<Admitted, 'recipient' | 'at'> {
  readonly recipients: readonly string[]
}

/** Which of a message's mailboxes have blocked it. */
export type BlocksOf = (message: Blockable) => Promise<ReadonlySet<string>>

/** A mailbox gets one copy, however many of its addresses were named. */
export function destinationsOf(recipients: readonly (Admitted | Returning)[]): Destination[] {
  const destinations = new Map<string, Destination>()
  for (const one of recipients) {
    if ('returnTo' in one) continue
    const { recipient, blockable, at: _, ...mailbox } = one
    const known = destinations.get(mailbox.mailboxId)
    destinations.set(mailbox.mailboxId, {
      ...mailbox,
      blockable: blockable && (known?.blockable ?? true),
      recipients: [...(known?.recipients ?? []), recipient],
    })
  }
  return [...destinations.values()]
}

/** Those that have blocked none of these, the addresses in From and Sender, be it for the organization or for their member. */
export async function withoutBlocking(
  blocksOf: BlocksOf,
  envelope: Envelope,
  destinations: readonly Destination[],
  senders: readonly string[],
): Promise<readonly Destination[]> {
  const patterns = unasked(envelope, senders)
  const blockable = destinations.filter((to) => to.blockable).map(({ mailboxId }) => mailboxId)
  if (patterns.length === 0 || blockable.length === 0) return destinations
  const blocking = await blocksOf({ mailboxIds: blockable, patterns })
  return destinations.filter(({ mailboxId }) => !blocking.has(mailboxId))
}

/** Milliseconds; blocks may be applied for 5 seconds after they were changed. */
const RECENT = 4_500

/** Most authors are the envelope's sender, whom RCPT has asked about a moment ago. */
function unasked({ sender, recipients }: Envelope, senders: readonly string[]): string[] {
  const recent = performance.now() - RECENT
  const asked = recipients.every(({ at }) => at > recent) ? patternsAgainst([sender]) : []
  // PostgreSQL holds neither U+0000 nor a lone surrogate, so nobody has blocked them.
  return patternsAgainst(senders).filter(
    (pattern) => !asked.includes(pattern) && pattern.isWellFormed() && !pattern.includes('\0'),
  )
}

/** How much of a message's ciphertexts is made and stored at once, in octets. */
const MOST_AT_ONCE = 16 * 1024 * 1024

/** Every Private mailbox has a ciphertext of its own: so many at once that memory is bounded, whatever the message is large
 *  and however many it is for. All Smart mailboxes share one message, and are in the first run. */
export function inRuns(destinations: readonly Destination[], octets: number): Destination[][] {
  const [smart, concealing] = [destinations.filter((to) => !to.private), destinations.filter((to) => to.private)]
  const atOnce = Math.max(1, Math.floor(MOST_AT_ONCE / octets))
  const runs = [[...smart, ...concealing.slice(0, atOnce)]]
  for (let at = atOnce; at < concealing.length; at += atOnce) runs.push(concealing.slice(at, at + atOnce))
  return runs
}
