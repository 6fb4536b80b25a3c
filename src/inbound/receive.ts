import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { patternsAgainst } from '#/blocked-senders/pattern.ts'
import type { Db } from '#/db/schema.ts'
import { filtersInForce } from '#/filters/in-force.ts'
import { place } from '#/filters/matching.ts'
import { reachedAt, type Sighting, sight } from '#/filters/sighting.ts'
import { parseAddresses } from '#/mime/address-list.ts'
import { type Message, readMessage } from '#/mime/message.ts'
import type { Copy } from '#/ports/mail-host.ts'
import type { Resolver } from '#/ports/resolver.ts'
import type { Admitted } from './admit.ts'
import { authenticate, type Verdict } from './authenticate.ts'
import type { Envelope } from './envelope.ts'
import type { Blockable } from './queries.ts'
import { Rejection, type Reply, reply } from './reply.ts'
import type { Store } from './store.ts'
import { withTrace } from './trace.ts'

/** What receiving mail stands on. */
export interface Reception {
  readonly db: Db
  readonly blocksOf: (message: Blockable) => Promise<ReadonlySet<string>>
  readonly store: Store
  readonly resolver: Resolver
  readonly hostname: string
  readonly log: Logger
}

/** Each hop adds a `Received`; a message with more than this goes round in circles (RFC 5321 6.3). */
const MOST_HOPS = 100

/** One is right (RFC 5322 3.6); each is looked at for blocks, however wrong more are. */
const MOST_FROM = 10

/** Milliseconds; rules may be applied for 5 seconds after they were changed elsewhere. */
const RECENT = 4_500

/** A mailbox that a message is for, with every address of it that RCPT named. */
interface Destination extends Pick<Admitted, 'organizationId' | 'mailboxId' | 'memberId' | 'blockable'> {
  readonly recipients: readonly string[]
}

/** What becomes of a message after DATA. Throws `Rejection` while it is still the sender's to keep; resolves once it is
 *  durable in every mailbox that takes it. One answer serves all recipients: whoever has blocked an author that others
 *  have not is passed over in silence (decisions, Blocked senders). */
export async function receive(at: Reception, envelope: Envelope, bytes: Buffer): Promise<Reply> {
  const message = readMessage(bytes)
  if (message.headers.count('received') > MOST_HOPS) throw new Rejection(554, '5.4.6', 'The message goes in circles')
  if (message.headers.count('from') > MOST_FROM) throw new Rejection(554, '5.6.0', 'A message has one From')
  const authors = message.headers.all('from').flatMap(parseAddresses)
  const destinations = await takers(
    at,
    envelope,
    authors.map(({ address }) => address),
  )
  const verdict = await authenticate(at.resolver, envelope, message, authors)
  if (verdict.disposition === 'reject') {
    throw new Rejection(
      550,
      '5.7.26',
      `${verdict.dmarc.domain} asks to refuse mail that is not provably its own (DMARC)`,
    )
  }
  const stored = withTrace(message, at.hostname, envelope, verdict)
  const sighting = sight(message)
  const copies = await Promise.all(destinations.map((to) => copyFor(at, to, envelope, stored, sighting, verdict)))
  await at.store.keep({ copies, digest: message.messageId === null ? undefined : sha256(bytes) })
  report(at.log, envelope, bytes, verdict, copies)
  return reply(250, '2.6.0', `Stored as ${envelope.id}`)
}

/** The mailboxes that have not blocked an author. Throws `Rejection` where all have. */
async function takers(at: Reception, envelope: Envelope, authors: readonly string[]): Promise<Destination[]> {
  const destinations = byMailbox(envelope.recipients)
  const patterns = unasked(envelope, authors)
  const blockable = destinations.filter((to) => to.blockable).map(({ mailboxId }) => mailboxId)
  if (patterns.length === 0 || blockable.length === 0) return destinations
  const blocking = await at.blocksOf({ mailboxIds: blockable, patterns })
  const taking = destinations.filter(({ mailboxId }) => !blocking.has(mailboxId))
  if (taking.length === 0) throw new Rejection(550, '5.7.1', 'The recipient does not take mail from that author')
  if (blocking.size > 0) {
    at.log.info({ message: envelope.id, authors, mailboxes: [...blocking] }, 'author blocked, dropped for some')
  }
  return taking
}

/** Most authors are the envelope's sender, whom RCPT has asked about a moment ago. */
function unasked({ sender, recipients }: Envelope, authors: readonly string[]): string[] {
  const recent = performance.now() - RECENT
  const asked = recipients.every(({ at }) => at > recent) ? patternsAgainst([sender]) : []
  // PostgreSQL holds no U+0000, so nobody has blocked it.
  return patternsAgainst(authors).filter((pattern) => !asked.includes(pattern) && !pattern.includes('\0'))
}

/** One copy for each mailbox, however many of its addresses were named. Mail that is for postmaster@ or abuse@ too is
 *  not blocked. */
function byMailbox(recipients: readonly Admitted[]): Destination[] {
  const destinations = new Map<string, Destination>()
  for (const { organizationId, mailboxId, memberId, blockable, recipient } of recipients) {
    const known = destinations.get(mailboxId)
    destinations.set(mailboxId, {
      organizationId,
      mailboxId,
      memberId,
      blockable: blockable && (known?.blockable ?? true),
      recipients: [...(known?.recipients ?? []), recipient],
    })
  }
  return [...destinations.values()]
}

/** A filter that moves the message has the last word over DMARC's quarantine: it is what the owner asked for. */
async function copyFor(
  at: Reception,
  { organizationId, mailboxId, memberId, recipients }: Destination,
  { id, receivedAt }: Envelope,
  message: Message,
  sighting: Sighting,
  { disposition }: Verdict,
): Promise<Copy> {
  const filters = await filtersInForce(at.db, { organizationId, memberId })
  const here = recipients.reduce(reachedAt, sighting)
  const placement = place(filters, here, disposition === 'quarantine' ? 'junk' : 'inbox')
  for (const err of placement.errors) at.log.error({ err, message: id, mailbox: mailboxId }, 'a filter failed')
  const { folder, seen, flagged, keywords, trace } = placement
  return {
    mailbox: { organizationId, mailboxId },
    folder,
    message,
    receivedAt,
    seen,
    flagged,
    keywords,
    filteredBy: trace,
  }
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function report(log: Logger, envelope: Envelope, bytes: Buffer, verdict: Verdict, copies: readonly Copy[]): void {
  log.info(
    {
      message: envelope.id,
      client: envelope.client.address,
      sender: envelope.sender,
      recipients: envelope.recipients.map(({ recipient }) => recipient),
      mailboxes: copies.map(({ mailbox }) => mailbox.mailboxId),
      octets: bytes.length,
      spf: verdict.spf.result,
      dkim: verdict.dkim.map(({ result }) => result),
      dmarc: verdict.dmarc.result,
    },
    'message stored',
  )
}
