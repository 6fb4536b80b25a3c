import type { Db } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import { type Address, canonicalAddress, splitAddress } from '#/formats/mime/address/address.ts'
import type { Caller } from '#/http/access/caller.ts'

/** A mailbox that mail is sent from. */
export interface Sender {
  readonly mailboxId: string
  /** The envelope sender: the mailbox's address or one of its aliases, in canonical form. */
  readonly address: string
  /** The domain of that address, in ASCII form. Its keys sign. */
  readonly domain: string
  /** As the caller wrote it, else as the mailbox has it. */
  readonly name: string
}

/** The mailbox that `from` names, by its address or an alias. @throws Refusal if there is none, the caller may not send from it,
 *  or it cannot send */
export async function senderFor(db: Db, caller: Caller, from: Address): Promise<Sender> {
  const address = canonicalAddress(from.address)
  const mailbox =
    address === undefined
      ? undefined
      : await candidates(db)
          .where('addresses.organization_id', '=', caller.organizationId)
          .where('addresses.address', '=', address)
          .executeTakeFirst()
  if (!mailbox) throw notFound('mailbox')
  caller.assertMay('send', mailbox)
  return { mailboxId: mailbox.id, ...checked(mailbox), name: from.name || mailbox.name }
}

/** Checks the mailbox of a message that was accepted earlier. @throws Refusal if it is deleted, or cannot send any more */
export function assertStillSender(mailbox: Candidate | undefined, address: string): Pick<Sender, 'address' | 'domain'> {
  if (!mailbox) throw invalid('from', `The mailbox ${address} is gone`)
  return checked(mailbox)
}

/** The mailboxes of messages, by `senderKey`. Without those that are deleted or lost that address. */
export async function sendersOf(
  db: Db,
  messages: readonly (Writes & { readonly organizationId: string })[],
): Promise<Map<string, Candidate>> {
  const organizations = [...new Set(messages.map(({ organizationId }) => organizationId))]
  const ids = [...new Set(messages.flatMap(({ mailboxId }) => mailboxId ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await candidates(db)
    .where('addresses.organization_id', 'in', organizations)
    .where('addresses.address', 'in', [...new Set(messages.map(({ sender }) => sender))])
    .where('mailboxes.id', 'in', ids)
    .execute()
  return new Map(rows.map((one) => [senderKey({ mailboxId: one.id, sender: one.address }), one]))
}

/** The mailbox of a message, null once it is deleted, and its envelope sender. */
interface Writes {
  readonly mailboxId: string | null
  readonly sender: string
}

export function senderKey({ mailboxId, sender }: Writes): string {
  return `${mailboxId} ${sender}`
}

type Candidate = Awaited<ReturnType<ReturnType<typeof candidates>['executeTakeFirstOrThrow']>>

function checked(mailbox: Candidate): Pick<Sender, 'address' | 'domain'> {
  if (mailbox.kind === 'private') {
    throw invalid('from', `${mailbox.address} is a Private mailbox: no mail can be sent from it here`)
  }
  if (mailbox.mailboxSuspended) throw invalid('from', `${mailbox.address} is suspended`)
  const { domain = '' } = splitAddress(mailbox.address) ?? {}
  if (mailbox.homeSuspended || mailbox.domainSuspended) {
    throw invalid('from', `${mailbox.domainSuspended ? domain : mailbox.home} is suspended`)
  }
  if (mailbox.status !== 'verified') throw invalid('from', `${domain} is not verified`)
  return { address: mailbox.address, domain }
}

/** Addresses with their mailboxes. An alias may be on another domain of the organization than its mailbox. */
function candidates(db: Db) {
  return db
    .selectFrom('addresses')
    .innerJoin('mailboxes', 'mailboxes.id', 'addresses.mailbox_id')
    .innerJoin('domains as home', 'home.id', 'mailboxes.domain_id')
    .leftJoin('domains as own', (join) =>
      join
        .onRef('own.organization_id', '=', 'addresses.organization_id')
        .on(({ eb, fn, val }) => eb('own.domain', '=', fn<string>('substring', ['addresses.address', val('[^@]*$')]))),
    )
    .select(({ eb }) => [
      'mailboxes.id',
      'addresses.address',
      'mailboxes.name',
      'mailboxes.kind',
      'home.domain as home',
      'own.status',
      eb('mailboxes.suspended_at', 'is not', null).as('mailboxSuspended'),
      eb('home.suspended_at', 'is not', null).as('homeSuspended'),
      eb('own.suspended_at', 'is not', null).as('domainSuspended'),
    ])
}
