import { createHash, hash } from 'node:crypto'
import { inTurns, pieceBytes } from '#/base/event-loop/pieces.ts'
import type { Message } from '#/formats/mime/message.ts'
import { areNoted } from '#/mail/store/arrivals.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import type { Arrived, FollowUp, Report } from '#/out/follow-ups/follow-ups.ts'
import { noteReturned, returnedReports } from '#/out/sent/returned.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import { loggedSender } from '#/smtp/protocol/reply.ts'
import type { Reception } from '../reception.ts'
import type { Destination } from '../recipients/destinations.ts'
import { receivedBy, resultsField } from './trace.ts'

/** Whether a message that was forwarded here has arrived again where it is stored already. It is accepted, so that nobody
 *  gets a bounce, and dropped. */
export async function hasArrivedBefore(
  { db, log }: Reception,
  { id, sender }: Envelope,
  destinations: readonly Destination[],
  mark: Buffer,
): Promise<boolean> {
  const mailboxes = destinations.map(({ mailboxId }) => mailboxId)
  if (!(await areNoted(db, mailboxes, [mark, digestUnder(mark)]))) return false
  const concealed = destinations.some((to) => to.private)
  log.info(
    { message: id, sender: loggedSender(sender, concealed), mailboxes },
    'message came back after it was forwarded',
  )
  return true
}

/** The digest that identifies the message: that of its mark, if it has a valid one. */
export async function digestOf(
  { id }: Envelope,
  { messageId }: Message,
  bytes: Buffer,
  batches: readonly (readonly Destination[])[],
  mark: Buffer | undefined,
): Promise<Buffer> {
  if (mark) return digestUnder(mark)
  // With several recipients, a repetition must not store it twice in a mailbox that has it.
  if (messageId !== null || batches.length > 1) return await sha256(bytes)
  // Another message with equal octets is a message of its own. This digest recognises the message if it is forwarded and
  // comes back.
  return hash('sha256', id, 'buffer')
}

/** Differs from the digest of the message itself. Anybody who has a mark could send any message under it, and the message
 *  itself, arriving later at that mailbox directly, must not count as a duplicate. */
function digestUnder(mark: Buffer): Buffer {
  return createHash('sha256').update('relayed').update(mark).digest()
}

/** The forwarding and automatic answers of these mailboxes. */
export async function followUpsOf(
  { followUps, hostname }: Reception,
  arrived: Pick<Arrived, 'message' | 'verdict' | 'digest'> & { readonly envelope: Envelope },
  batch: readonly Destination[],
  copies: readonly Copy[],
): Promise<readonly FollowUp[]> {
  const following = new Set(batch.flatMap(({ follows, mailboxId }) => (follows ? mailboxId : [])))
  if (following.size === 0) return []
  const { envelope, verdict } = arrived
  return await followUps.prepare({
    ...arrived,
    results: () => resultsField(hostname, envelope, verdict),
    received: (recipient) => receivedBy(hostname, envelope, recipient),
    places: copies.flatMap(({ mailbox: { mailboxId }, folder }) =>
      following.has(mailboxId) ? { mailboxId, folder } : [],
    ),
  })
}

/** What the message reports on messages sent here. A message that fails its author's DMARC policy reports nothing. A mail
 *  server's notice may have an author without an address, such as Courier's `<@>`. It fails no policy, and comes to a bounce
 *  address. */
export function returnedFollowUps(
  { bounceAddresses }: Reception,
  { envelope, message, verdict }: Pick<Arrived, 'message' | 'verdict'> & { readonly envelope: Envelope },
): FollowUp[] {
  const { disposition, dmarc } = verdict
  const isAmbiguous = dmarc.result === 'permerror'
  if (disposition !== 'none' && !isAmbiguous) return []
  const reports = returnedReports(bounceAddresses, message, envelope.recipients)
  const believed = isAmbiguous ? reports.filter(({ becomes }) => becomes === 'bounced') : reports
  return believed.map((report) => ({
    mailboxId: null,
    order: `sent ${report.about.from}`,
    write: (tx) => noteReturned(tx, report),
  }))
}

/** The message as a report to authors of forwarded mail. */
export function reportOf(
  { hostname }: Reception,
  arrived: Pick<Arrived, 'message' | 'verdict'> & { readonly envelope: Envelope },
): Report {
  const { envelope, verdict } = arrived
  return {
    ...arrived,
    results: () => resultsField(hostname, envelope, verdict),
    received: (recipient) => receivedBy(hostname, envelope, recipient),
  }
}

async function sha256(bytes: Buffer): Promise<Buffer> {
  if (bytes.length <= pieceBytes) return hash('sha256', bytes, 'buffer')
  const pieces = createHash('sha256')
  for await (const piece of inTurns(bytes)) pieces.update(piece)
  return pieces.digest()
}
