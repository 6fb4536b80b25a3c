import { patternsAgainst } from '#/blocked-senders/pattern.ts'
import type { Db } from '#/db/schema.ts'
import { gather } from '#/gather.ts'
import { canonicalAddress, isRewritten, splitAddress, stripTag, unquoted } from '#/mime/address.ts'
import type { ReturnPath } from '#/outbound/return-paths.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import { type Found, findPostmaster, findRecipients, type Wanted } from './queries.ts'
import { NotOurs, Rejection } from './reply.ts'
import { REPORTS_ALONE } from './returning.ts'

/** A recipient whose mail we take, and the mailbox that it reaches. */
export interface Admitted {
  readonly organizationId: string
  readonly mailboxId: string
  readonly memberId: string | null
  /** Its mail is encrypted before it is stored. */
  readonly private: boolean
  /** As RCPT named it, in canonical form, tag and all. */
  readonly recipient: string
  /** False for postmaster@ and abuse@, which everyone must be able to reach (RFC 5321 4.5.1, RFC 2142). */
  readonly blockable: boolean
  /** The mailbox may pass on or answer what arrives. */
  readonly follows: boolean
  /** When that was so, by `performance.now()`. */
  readonly at: number
}

/** A recipient who stands for somebody else: the sender that a forwarded message was given here, to whom bounces come. */
export interface Returning {
  /** Whose the domain is. */
  readonly organizationId: string
  readonly recipient: string
  readonly returnTo: string
  /** The mailbox that forwarded it. */
  readonly forwardedBy: string
  readonly at: number
}

/** What RCPT is answered from: the database as it is now, asked once for all who wait. */
export interface Admission {
  readonly hostname: string
  readonly find: (wanted: Wanted) => Promise<Found | undefined>
  readonly postmaster: (domains: readonly string[]) => Promise<string | undefined>
  /** Whether the mail host takes mail of the organization. */
  readonly hasRoom: MailHost['hasRoom']
  /** Whom a rewritten sender of an organization stands for; undefined where it is none of ours. */
  readonly returnPath: (organizationId: string, recipient: string) => Promise<ReturnPath | undefined>
}

const CROWDED = [452, '4.3.1', 'Too much mail for the recipient waits to be stored; try again later'] as const
export const SUSPENDED = [550, '5.2.1', 'That mailbox is suspended'] as const

const MOST_AT_ONCE = 200

export function admissionBy(
  db: Db,
  mailHost: Pick<MailHost, 'hasRoom'>,
  hostname: string,
  returnPath: Admission['returnPath'],
): Admission {
  return {
    hostname,
    find: gather(
      (wanted) => findRecipients(db, wanted),
      ({ length }) => Math.min(length, MOST_AT_ONCE),
    ),
    postmaster: (domains) => findPostmaster(db, domains),
    hasRoom: (organizationId) => mailHost.hasRoom(organizationId),
    returnPath,
  }
}

/** Answers RCPT. Throws `Rejection`. */
export async function admit(at: Admission, sender: string, recipient: string): Promise<Admitted | Returning> {
  const now = performance.now()
  const address = await canonical(at, recipient)
  const { local, domain } = splitAddress(address) ?? { local: '', domain: '' }
  const blockable = !/^(postmaster|abuse)$/.test(stripTag(local))
  const found = await at.find({
    domain,
    exact: address,
    untagged: `${stripTag(local)}@${domain}`,
    // Reports go back where they belong, or nowhere.
    catchable: !isRewritten(local),
    patterns: blockable ? patternsAgainst([sender]) : [],
  })
  if (!found) throw new NotOurs()
  if (found.mailbox_id === null) return await returning(at, found, sender, unquoted(recipient), now)
  // No room is said here, so that a message for others too is not refused with it.
  const refused =
    whyRefused(found) ?? ((await at.hasRoom(found.organization_id)) ? undefined : new Rejection(...CROWDED))
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

function whyRefused({ suspended, blocked, full }: Found): Rejection | undefined {
  if (suspended) return new Rejection(...SUSPENDED)
  if (blocked) return new Rejection(550, '5.7.1', 'The recipient does not take mail from you')
  if (full) return new Rejection(452, '4.2.2', 'The recipient has no room for more mail; try again later')
  return undefined
}

/** Only bounces are sent on, so that nobody can write to others through us. */
async function returning(
  { returnPath }: Admission,
  { organization_id: organizationId }: Found,
  sender: string,
  recipient: string,
  at: number,
): Promise<Returning> {
  const path = await returnPath(organizationId, recipient)
  if (!path) throw new Rejection(550, '5.1.1', 'Nobody here has that address')
  if (sender !== '') throw new Rejection(...REPORTS_ALONE)
  const { returnTo, mailboxId: forwardedBy, suspended, spent } = path
  if (suspended) throw new Rejection(...SUSPENDED)
  if (spent) throw new Rejection(550, '5.7.1', 'That address takes no more reports today')
  return { organizationId, recipient, returnTo, forwardedBy, at }
}

async function canonical(at: Admission, recipient: string): Promise<string> {
  if (/^postmaster$/i.test(recipient)) return postmaster(at)
  const address = canonicalAddress(recipient)
  if (!address) throw new NotOurs()
  return address
}

/** `RCPT TO:<postmaster>` (RFC 5321 4.5.1) is for whoever runs this server: the postmaster of its own name's domain,
 *  else of the domain that was here first. */
async function postmaster(at: Admission): Promise<string> {
  const labels = at.hostname.toLowerCase().split('.')
  const address = await at.postmaster(labels.map((_, from) => labels.slice(from).join('.')))
  if (!address) throw new Rejection(550, '5.1.1', 'There is no postmaster here yet')
  return address
}
