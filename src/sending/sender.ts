import type { Db } from '#/db/schema.ts'
import { invalid, notFound } from '#/errors.ts'
import { type Address, canonicalAddress, splitAddress } from '#/mime/address.ts'

/** A mailbox that mail is sent from. */
export interface Sender {
  readonly mailboxId: string
  /** The mailbox's own, whatever way it was written. */
  readonly address: string
  /** In ASCII form. */
  readonly domain: string
  /** As the caller wrote it, else as the mailbox has it. */
  readonly name: string
}

/** The mailbox that `from` names. @throws Refusal: no such mailbox, or one that mail cannot be sent from */
export async function senderFor(db: Db, organizationId: string, from: Address): Promise<Sender> {
  const address = canonicalAddress(from.address)
  const mailbox =
    address === undefined
      ? undefined
      : await mailboxes(db)
          .where('mailboxes.organization_id', '=', organizationId)
          .where('mailboxes.address', '=', address)
          .executeTakeFirst()
  if (!mailbox) throw notFound('mailbox')
  return { mailboxId: mailbox.id, ...checked(mailbox), name: from.name || mailbox.name }
}

/** The mailbox of a message that was taken on earlier, if it is there yet. @throws Refusal where mail cannot be sent from it
 *  any more */
export function senderStill(mailbox: Candidate | undefined, address: string): Pick<Sender, 'address' | 'domain'> {
  if (!mailbox) throw invalid('from', `The mailbox ${address} is gone`)
  return checked(mailbox)
}

/** The mailboxes of messages, by id; those that are gone lack. */
export async function sendersById(
  db: Db,
  messages: readonly { readonly organizationId: string; readonly mailboxId: string | null }[],
): Promise<Map<string, Candidate>> {
  const organizations = [...new Set(messages.map(({ organizationId }) => organizationId))]
  const ids = [...new Set(messages.flatMap(({ mailboxId }) => mailboxId ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await mailboxes(db)
    .where('mailboxes.organization_id', 'in', organizations)
    .where('mailboxes.id', 'in', ids)
    .execute()
  return new Map(rows.map((mailbox) => [mailbox.id, mailbox]))
}

type Candidate = Awaited<ReturnType<ReturnType<typeof mailboxes>['executeTakeFirstOrThrow']>>

function checked(mailbox: Candidate): Pick<Sender, 'address' | 'domain'> {
  if (mailbox.kind === 'private') {
    throw invalid('from', `${mailbox.address} is a Private mailbox: no mail can be sent from it here`)
  }
  if (mailbox.mailboxSuspended) throw invalid('from', `${mailbox.address} is suspended`)
  const { domain = '' } = splitAddress(mailbox.address) ?? {}
  if (mailbox.domainSuspended) throw invalid('from', `${domain} is suspended`)
  if (mailbox.status !== 'verified') throw invalid('from', `${domain} is not verified`)
  return { address: mailbox.address, domain }
}

function mailboxes(db: Db) {
  return db
    .selectFrom('mailboxes')
    .innerJoin('domains', 'domains.id', 'mailboxes.domain_id')
    .select(({ eb }) => [
      'mailboxes.id',
      'mailboxes.address',
      'mailboxes.name',
      'mailboxes.kind',
      'domains.status',
      eb('mailboxes.suspended_at', 'is not', null).as('mailboxSuspended'),
      eb('domains.suspended_at', 'is not', null).as('domainSuspended'),
    ])
}
