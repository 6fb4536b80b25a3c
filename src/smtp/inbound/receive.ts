import type { Logger } from 'pino'
import { notFound } from '#/base/errors.ts'
import { readAuthors } from '#/formats/mime/address/authors.ts'
import { relayMark } from '#/formats/mime/authentication/relay-mark.ts'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import { bareReceivedField } from '#/formats/mime/header/trace.ts'
import type { Message } from '#/formats/mime/message.ts'
import { concealed } from '#/mail/mailboxes/conceal.ts'
import { Suspended } from '#/mail/store/arrivals.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { ownIdsNamedBy } from '#/out/sent/replaced-ids.ts'
import { activeFilters } from '#/rules/filters/active-filters.ts'
import { type FilterInput, filterInput, withRecipient } from '#/rules/filters/filter-input.ts'
import { applyFilters } from '#/rules/filters/matching.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import type { AcceptedMessage } from '#/smtp/protocol/mail-handler.ts'
import { loggedSender, Rejection, reply } from '#/smtp/protocol/reply.ts'
import { cancelledByAnswer } from './arrival/answers.ts'
import { digestOf, followUpsOf, hasArrivedBefore, reportOf, returnedFollowUps } from './arrival/following.ts'
import { protocolOf, withTrace } from './arrival/trace.ts'
import { applyDmarc } from './authentication/apply-dmarc.ts'
import type { Reception } from './reception.ts'
import { SUSPENDED } from './recipients/admit.ts'
import { type Destination, destinationsOf, inBatches, withoutBlocking } from './recipients/destinations.ts'
import { isNamelessNotice, mayReturn, REPORTS_ALONE } from './recipients/returning.ts'

/** The most `Received` fields of a message, to which each hop adds one: more are a loop (RFC 5321, section 6.3). */
const MOST_HOPS = 100

/** The most From fields. RFC 5322, section 3.6 allows one. All are checked for blocks, so their number is limited. */
const MOST_FROM = 10
const MOST_AUTHORS = 1_000
/** The most domains of authors. DMARC of each takes some eight lookups. */
const MOST_DOMAINS = 10

/** The path of a message after DATA. Throws `Rejection` while the sender is still responsible for it. Resolves once it is
 *  durable in every mailbox that accepts it. A mailbox that has blocked an author is left out; over SMTP without notice if
 *  another accepts the message, since one reply serves all recipients (docs/reference/blocked-senders.md). */
export async function receive(at: Reception, envelope: Envelope, bytes: Buffer): Promise<AcceptedMessage> {
  const message = await at.reader.message(bytes)
  // Fields that were not read may name other authors, or forge results.
  if (!message.headers.complete) throw new Rejection(554, '5.6.0', 'Message header too large')
  if (message.headers.count('received') > MOST_HOPS) throw new Rejection(554, '5.4.6', 'Mail loop detected')
  if (message.headers.count('from') > MOST_FROM)
    throw new Rejection(554, '5.6.0', 'The message must have exactly one From')
  const authors = readAuthors(message.headers)
  if (!authors.complete || authors.addresses.length > MOST_AUTHORS || authors.domains.length > MOST_DOMAINS) {
    throw new Rejection(554, '5.6.0', 'The message has too many authors')
  }
  const named = destinationsOf(envelope.recipients)
  const rewritten = envelope.recipients.filter((one) => 'returnTo' in one)
  const mark = relayMark(at.markKey, message.headers)
  if (mark && rewritten.length === 0 && (await hasArrivedBefore(at, envelope, named, mark))) {
    return { reply: reply(250, '2.6.0', 'Already stored'), otherwise: new Map() }
  }
  const senders = [...new Set([...authors.addresses, ...message.sender.map(({ address }) => address)])]
  const destinations = await withoutBlocking(at.blocksOf, envelope, named, senders)
  const reports = rewritten.length > 0 && mayReturn(message) ? rewritten : []
  const noRecipient: readonly [number, string, string] = named.length > 0 ? BLOCKED : REPORTS_ALONE
  if (destinations.length + reports.length === 0) {
    const refused = new Rejection(...noRecipient)
    throw named.length > 0 ? refused.withRefusal({ because: 'blocked' }) : refused
  }

  const verdict = applyDmarc(await at.authenticate(envelope, message, authors), envelope, message)
  const nameless = verdict.disposition !== 'none' && isNamelessNotice(envelope.sender, message, authors)
  // A report that fails its author's DMARC policy is forged.
  const returning = verdict.disposition === 'none' || nameless ? reports : []
  if (destinations.length + returning.length === 0) throw new Rejection(...noRecipient)
  const stored = await storedIn(at, destinations, message, envelope, verdict)
  const input = filterInput(message)
  const batches = inBatches(destinations, bytes.length)
  const digest = await digestOf(envelope, message, bytes, batches, mark)
  const kept: Kept[] = []
  const report = reportOf(at, { envelope, message, verdict })
  const onSent = returnedFollowUps(at, { envelope, message, verdict })
  const returned = [...returning.map((to) => at.followUps.returned(report, to)), ...onSent]
  // A bounce address is known only to those who had a message of it.
  const placed = nameless && onSent.length > 0 ? { ...verdict, disposition: 'none' as const } : verdict
  for (const batch of batches) {
    const copies = await Promise.all(
      batch.map((to) => copyFor(at, to, envelope, stored(to.organizationId), input, placed)),
    )
    const followUps = [
      ...(await followUpsOf(at, { envelope, message, verdict, digest }, batch, copies)),
      ...cancelledByAnswer(envelope, message, verdict, copies, stored),
    ]
    await at.store
      .keep({ copies, digest, followUps: [...returned.splice(0), ...followUps] })
      .catch((error: unknown) => {
        throw error instanceof Suspended ? refusal(envelope) : error
      })
    kept.push(...copies.map(({ mailbox: { mailboxId }, folder }) => ({ mailbox: mailboxId, folder })))
  }
  if (returning.length > 0 || destinations.some(({ follows }) => follows)) at.followUps.wake()
  logStored(at.log, envelope, bytes.length, verdict, kept, named.length - destinations.length)
  const without = named.filter((one) => !destinations.includes(one))
  const otherwise = new Map([
    ...without.map(({ mailboxId }) => [mailboxId, reply(...BLOCKED)] as const),
    ...rewritten
      .filter((one) => !returning.includes(one))
      .map(({ recipient }) => [recipient, reply(...REPORTS_ALONE)] as const),
  ])
  return { reply: reply(250, '2.6.0', `Stored as ${envelope.id}`), otherwise }
}

/** For a mailbox that was suspended since RCPT. One reply serves all recipients. When the message is sent again, RCPT
 *  refuses those that are suspended. */
function refusal({ recipients }: Envelope): Rejection {
  if (recipients.length === 1) return new Rejection(...SUSPENDED)
  return new Rejection(451, '4.2.1', 'A recipient was suspended; send the message again to the others')
}

/** For mailboxes that have blocked a message's author. */
const BLOCKED = [550, '5.7.1', 'Author blocked by the recipient'] as const

/** The message as each organization stores it. One that has sent what the message answers knows that by an id of its own, whatever a
 *  relay made of it. */
async function storedIn(
  { db, hostname }: Reception,
  destinations: readonly Destination[],
  message: Message,
  envelope: Envelope,
  verdict: Verdict,
): Promise<(organizationId: string) => Message> {
  const organizations = [...new Set(destinations.map(({ organizationId }) => organizationId))]
  const own = await ownIdsNamedBy(db, organizations, message)
  const stored = await withTrace(message, hostname, envelope, verdict)
  const named = new Map<string, Message>()
  for (const [id, ids] of own) named.set(id, await withTrace(message, hostname, envelope, verdict, ids))
  return (organizationId) => named.get(organizationId) ?? stored
}

/** A filter that moves the message overrides DMARC's quarantine, since its owner asked for that. Filters see the message
 *  before it is encrypted; a Private mailbox does not store in the clear which of them acted. */
async function copyFor(
  at: Reception,
  to: Destination,
  envelope: Envelope,
  message: Message,
  input: FilterInput,
  { disposition }: Verdict,
): Promise<Copy> {
  const { organizationId, mailboxId, memberId } = to
  const mailbox = { organizationId, mailboxId }
  const filters = await activeFilters(at.db, { organizationId, memberId })
  const here = to.recipients.reduce(withRecipient, input)
  const placement = applyFilters(filters, here, disposition === 'none' ? 'inbox' : 'junk')
  for (const err of placement.errors) at.log.error({ err, message: envelope.id, mailbox: mailboxId }, 'a filter failed')
  const { folder, seen, flagged, keywords, trace } = placement
  return {
    mailbox,
    folder,
    message: to.private ? await encrypted(at, envelope, message, mailbox) : message,
    receivedAt: envelope.receivedAt,
    seen,
    flagged,
    keywords,
    filteredBy: to.private ? [] : trace,
  }
}

async function encrypted(at: Reception, envelope: Envelope, message: Message, mailbox: MailboxRef): Promise<Message> {
  const { id, receivedAt } = envelope
  const received = bareReceivedField({ by: at.hostname, protocol: protocolOf(envelope), id, at: receivedAt })
  const kept = await concealed(at, { received, at: receivedAt }, message, mailbox)
  if (!kept) throw notFound('mailbox')
  return kept
}

/** The place of a copy. */
interface Kept {
  readonly mailbox: string
  readonly folder: string
}

function logStored(
  log: Logger,
  { id, client, sender, recipients }: Envelope,
  octets: number,
  { spf, dkim, dmarc }: Verdict,
  folders: readonly Kept[],
  dropped: number,
): void {
  const checks = { spf: spf.result, dkim: dkim.map(({ result }) => result), dmarc: dmarc.result }
  const to = recipients.map(({ recipient }) => recipient)
  const from = loggedSender(
    sender,
    recipients.some((one) => 'private' in one && one.private),
  )
  const droppedAsBlocked = dropped > 0 ? { dropped_as_blocked: dropped } : {}
  log.info(
    {
      message: id,
      client: client.address,
      sender: from,
      recipients: to,
      octets,
      ...checks,
      folders,
      ...droppedAsBlocked,
    },
    'message stored',
  )
}
