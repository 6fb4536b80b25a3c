import { patternsMatching } from '#/formats/mime/address/address-pattern.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import type { Admitted, Returning } from './admit.ts'
import type { Blockable } from './queries.ts'

/** A mailbox, with all of its addresses that RCPT named. */
export interface Destination extends Omit<Admitted, 'recipient' | 'at'> {
  readonly recipients: readonly string[]
}

/** The mailboxes that have blocked a message. */
export type BlocksOf = (message: Blockable) => Promise<ReadonlySet<string>>

/** One for each mailbox, however many of its addresses RCPT named. */
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

/** The destinations that have not blocked these senders, the addresses in From and Sender. */
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

/** Milliseconds: a changed block must take effect within 5 seconds. */
const RECENT = 4_500

/** Leaves out the envelope sender, which RCPT has checked: most authors are that. */
function unasked({ sender, recipients }: Envelope, senders: readonly string[]): string[] {
  const recent = performance.now() - RECENT
  const asked = recipients.every(({ at }) => at > recent) ? patternsMatching([sender]) : []
  // PostgreSQL stores neither U+0000 nor a lone surrogate, so they cannot be blocked.
  return patternsMatching(senders).filter(
    (pattern) => !asked.includes(pattern) && pattern.isWellFormed() && !pattern.includes('\0'),
  )
}

/** Octets of ciphertext that are created and stored at once. */
const MOST_AT_ONCE = 16 * 1024 * 1024

/** Each Private mailbox gets a ciphertext of its own, so batches bound the memory. All Smart mailboxes share one message and
 *  are in the first batch. */
export function inBatches(destinations: readonly Destination[], octets: number): Destination[][] {
  const [smart, concealing] = [destinations.filter((to) => !to.private), destinations.filter((to) => to.private)]
  const atOnce = Math.max(1, Math.floor(MOST_AT_ONCE / octets))
  const batches = [[...smart, ...concealing.slice(0, atOnce)]]
  for (let at = atOnce; at < concealing.length; at += atOnce) batches.push(concealing.slice(at, at + atOnce))
  return batches
}
