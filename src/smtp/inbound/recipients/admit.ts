import type { Db } from '#/base/db/schema.ts'
import { batched } from '#/base/event-loop/batching.ts'
import { canonicalAddress, isRewritten, splitAddress, stripTag, unquoted } from '#/formats/mime/address/address.ts'
import { patternsMatching } from '#/formats/mime/address/address-pattern.ts'
import type { ReturnPath } from '#/out/follow-ups/return-paths.ts'
import { NotOurs, Rejection } from '#/smtp/protocol/reply.ts'
import { findPostmaster, findRecipients, type RecipientQuery, type RecipientRow } from './queries.ts'
import { REPORTS_ALONE } from './returning.ts'

/** An accepted recipient, and its mailbox. */
export interface Admitted {
  readonly organizationId: string
  readonly mailboxId: string
  readonly memberId: string | null
  readonly private: boolean
  /** In canonical form, with its tag. */
  readonly recipient: string
  /** False for postmaster@ and abuse@, which must be reachable by everyone (RFC 5321, section 4.5.1; RFC 2142). */
  readonly blockable: boolean
  /** The mailbox has forwarding or an auto-reply. */
  readonly follows: boolean
  /** Time of the lookup, by `performance.now()`. */
  readonly at: number
}

/** A rewritten sender of a forwarded message, as a recipient: its bounces go to the original sender. */
export interface Returning {
  readonly organizationId: string
  readonly recipient: string
  readonly returnTo: string
  /** The mailbox that forwarded the message. */
  readonly forwardedBy: string
  readonly at: number
}

/** The dependencies of RCPT. `find` looks up all waiting recipients in one query. */
export interface Admission {
  readonly hostname: string
  readonly find: (wanted: RecipientQuery) => Promise<RecipientRow | undefined>
  readonly postmaster: (domains: readonly string[]) => Promise<string | undefined>
  /** The original sender of a rewritten one; undefined if it was not rewritten here. */
  readonly returnPath: (organizationId: string, recipient: string) => Promise<ReturnPath | undefined>
}

export const SUSPENDED = [550, '5.2.1', 'Mailbox suspended'] as const

const MOST_AT_ONCE = 200

export function admissionBy(db: Db, hostname: string, returnPath: Admission['returnPath']): Admission {
  return {
    hostname,
    find: batched(
      (wanted) => findRecipients(db, wanted),
      ({ length }) => Math.min(length, MOST_AT_ONCE),
      // The statement is sent at the end of this turn anyway (src/base/db/connections/lanes.ts).
      () => 'this turn',
    ),
    postmaster: (domains) => findPostmaster(db, domains),
    returnPath,
  }
}

/** Decides on RCPT. Throws `Rejection`. */
export async function admit(at: Admission, sender: string, recipient: string): Promise<Admitted | Returning> {
  const now = performance.now()
  const address = await canonical(at, recipient)
  const { local, domain } = splitAddress(address) ?? { local: '', domain: '' }
  const blockable = !/^(postmaster|abuse)$/.test(stripTag(local))
  const found = await at.find({
    domain,
    address: `${stripTag(local)}@${domain}`,
    // A catch-all does not get bounces of forwarded mail.
    catchable: !isRewritten(local),
    patterns: blockable ? patternsMatching([sender]) : [],
  })
  if (!found) throw new NotOurs()
  if (found.mailbox_id === null) return await returning(at, found, sender, unquoted(recipient), now)
  // Refused at RCPT, so that the message still reaches its other recipients.
  const refused = whyRefused(found)
  if (refused) {
    refused.concealed = found.private
    throw refused
  }
  const { organization_id: organizationId, mailbox_id: mailboxId, member_id: memberId, follows } = found
  return {
    organizationId,
    mailboxId,
    memberId,
    private: found.private,
    recipient: address,
    blockable,
    follows,
    at: now,
  }
}

function whyRefused(found: RecipientRow): Rejection | undefined {
  const { organization_id: organizationId, mailbox_id: mailboxId, suspended, blocked, full } = found
  if (suspended) return new Rejection(...SUSPENDED)
  if (blocked) {
    const refused = new Rejection(550, '5.7.1', 'Sender blocked by the recipient')
    return refused.withRefusal({ because: 'blocked', organizationId, mailboxId })
  }
  if (full) return new Rejection(452, '4.2.2', 'Storage quota of the recipient exceeded; try again later')
  return undefined
}

/** Only bounces are returned: otherwise the address would be an open relay to one person. */
async function returning(
  { returnPath }: Admission,
  { organization_id: organizationId }: RecipientRow,
  sender: string,
  recipient: string,
  at: number,
): Promise<Returning> {
  const path = await returnPath(organizationId, recipient)
  if (!path) {
    const unknown = new Rejection(550, '5.1.1', 'No such address here')
    throw unknown.withRefusal({ because: 'unknown', organizationId, mailboxId: null })
  }
  if (sender !== '') throw new Rejection(...REPORTS_ALONE)
  const { returnTo, mailboxId: forwardedBy, suspended, spent } = path
  if (suspended) throw new Rejection(...SUSPENDED)
  if (spent) throw new Rejection(550, '5.7.1', 'Daily limit of delivery status notifications for this address reached')
  return { organizationId, recipient, returnTo, forwardedBy, at }
}

async function canonical(at: Admission, recipient: string): Promise<string> {
  if (/^postmaster$/i.test(recipient)) return postmaster(at)
  const address = canonicalAddress(recipient)
  if (!address) throw new NotOurs()
  return address
}

/** `RCPT TO:<postmaster>` (RFC 5321, section 4.5.1) is the postmaster of the domain of the host name, else of the oldest
 *  domain. */
async function postmaster(at: Admission): Promise<string> {
  const labels = at.hostname.toLowerCase().split('.')
  const address = await at.postmaster(labels.map((_, from) => labels.slice(from).join('.')))
  if (!address) throw new Rejection(550, '5.1.1', 'No postmaster address exists here yet')
  return address
}
