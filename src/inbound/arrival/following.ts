import { createHash, hash } from 'node:crypto'
import { inTurns, pieceBytes } from '#/event-loop/pieces.ts'
import { areNoted } from '#/messages/arrivals.ts'
import type { Message } from '#/mime/message.ts'
import type { Arrived, FollowUp, Report } from '#/outbound/relaying/follow-ups.ts'
import type { Copy } from '#/ports/mail-host.ts'
import { noteReturned, returnedReports } from '#/sent/returned.ts'
import type { Reception } from '../receive.ts'
import type { Destination } from '../recipients/destinations.ts'
import type { Envelope } from '../smtp/envelope.ts'
import { loggedSender } from '../smtp/reply.ts'
import { receivedBy, resultsField } from './trace.ts'

/** Whether a message that was forwarded here has come in again where it lies already: it is taken, so that nobody hears
 *  of a bounce, and passed over. */
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

/** What the message is known by; with the mark that it bears, if any. */
export async function digestOf(
  { id }: Envelope,
  { messageId }: Message,
  bytes: Buffer,
  runs: readonly (readonly Destination[])[],
  mark: Buffer | undefined,
): Promise<Buffer> {
  if (mark) return digestUnder(mark)
  // Where it takes several, a sender who comes again must not leave it twice where it has been stored.
  if (messageId !== null || runs.length > 1) return await sha256(bytes)
  // A second one like it is another message. This one is known if it is forwarded and comes back.
  return hash('sha256', id, 'buffer')
}

/** Another than that of the message itself: anybody with a mark could send anything under it, and the message, where it comes
 *  straight to that mailbox later, must not be taken for a second one. */
function digestUnder(mark: Buffer): Buffer {
  return createHash('sha256').update('relayed').update(mark).digest()
}

/** What the mailboxes of a run do with the message by themselves. */
export async function followUpsOf(
  { followUps, hostname }: Reception,
  arrived: Pick<Arrived, 'message' | 'verdict' | 'digest'> & { readonly envelope: Envelope },
  run: readonly Destination[],
  copies: readonly Copy[],
): Promise<readonly FollowUp[]> {
  const following = new Set(run.flatMap(({ follows, mailboxId }) => (follows ? mailboxId : [])))
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

/** What the message reports of messages that were sent here. What its author's domain disowns reports nothing. A notice of a mail
 *  server may have an author that is no address, as Courier's `<@>`: no domain disowns it, and it comes to a bounce address. */
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

/** The message as one that goes back to authors of what was forwarded. */
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
