import { sql } from 'kysely'
import { microseconds, timeAt } from '#/base/db/microseconds.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import { notFound } from '#/base/errors.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import type { Certificate } from '#/formats/openpgp/openpgp.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { PageStart } from '#/http/schemas/cursor.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { Mailbox } from './mailbox.ts'

/** The columns of a `Mailbox`, over `mailboxes mailbox` joined with `domains domain`. */
export const mailboxColumns = sql`
  mailbox.id, mailbox.address, mailbox.local_part, domain.domain, mailbox.name, mailbox.kind,
  array(select address from addresses where mailbox_id = mailbox.id and alias order by address) as aliases,
  mailbox.suspended_at is not null as suspended, mailbox.created_at`

/** The mailbox with this address, in canonical form (src/formats/mime/address/address.ts), not an alias, that the caller reads. Every request
 *  that reads mail runs this query, so it reads one row only. */
export async function mailboxNamed(
  db: Db,
  caller: Caller,
  address: string,
): Promise<Pick<Mailbox, 'id' | 'address' | 'kind'> | undefined> {
  const { rows } = await sql<Pick<Mailbox, 'id' | 'address' | 'kind'>>`
    select id, address, kind from mailboxes where organization_id = ${caller.organizationId} and address = ${address}`.execute(
    short(db),
  )
  const [mailbox] = rows
  return mailbox && caller.may('read', mailbox.id) ? mailbox : undefined
}

export async function mailboxById(db: Db, organizationId: string, id: string): Promise<Mailbox | undefined> {
  const { rows } = await sql<Mailbox>`
    select ${mailboxColumns} from mailboxes mailbox join domains domain on domain.id = mailbox.domain_id
    where mailbox.organization_id = ${organizationId} and mailbox.id = ${id}`.execute(db)
  return rows[0]
}

/** The mailbox with this address, not an alias, that the caller manages. */
async function mailboxAt(db: Db, caller: Caller, address: string): Promise<Mailbox | undefined> {
  const { rows } = await sql<Mailbox>`
    select ${mailboxColumns} from mailboxes mailbox join domains domain on domain.id = mailbox.domain_id
    where mailbox.organization_id = ${caller.organizationId} and mailbox.address = ${address}
      and ${caller.managesIn('mailbox.id')}`.execute(db)
  return rows[0]
}

/** The mailbox of a path, which the caller manages. @throws Refusal if there is none */
export async function mailboxAtPath(db: Db, caller: Caller, given: string): Promise<Mailbox> {
  // PostgreSQL takes no U+0000.
  const address = given.includes('\0') ? undefined : canonicalAddress(given)
  const mailbox = address === undefined ? undefined : await mailboxAt(db, caller, address)
  if (!mailbox) throw notFound('mailbox')
  return mailbox
}

/** The address and certificate of a Private mailbox; undefined if it is none. */
export async function certificateOf(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
): Promise<{ address: string; certificate: string; usableAt: Date } | undefined> {
  const { rows } = await sql<{ address: string; certificate: string; usableAt: Date }>`
    select address, public_key as certificate, public_key_usable_at as "usableAt" from mailboxes
    where organization_id = ${organizationId} and id = ${mailboxId} and kind = 'private'`.execute(db)
  return rows[0]
}

/** Those that the caller manages, oldest first. */
export async function mailboxesOf(
  db: Db,
  caller: Caller,
  { limit, offset, after }: PageStart,
): Promise<(Mailbox & { at: number })[]> {
  const rest = after ? sql`and (mailbox.created_at, mailbox.id) > (${timeAt(after.at)}, ${after.id}::uuid)` : sql``
  const { rows } = await sql<Mailbox & { at: number }>`
    select ${mailboxColumns}, ${microseconds('mailbox.created_at')} as at from mailboxes mailbox join domains domain on domain.id = mailbox.domain_id
    where mailbox.organization_id = ${caller.organizationId} and ${caller.managesIn('mailbox.id')} ${rest}
    order by mailbox.created_at, mailbox.id limit ${limit} offset ${offset}`.execute(db)
  return rows
}

/** How many the caller manages: all are a counter that a trigger keeps. */
export async function mailboxCount(db: Db, caller: Caller): Promise<number> {
  if (!caller.managesAllMailboxes) return (await mailboxIdsOf(db, caller)).length
  const { mailboxes } = await db
    .selectFrom('organization_usage')
    .select('mailboxes')
    .where('organization_id', '=', caller.organizationId)
    .executeTakeFirstOrThrow()
  return mailboxes
}

/** Those that the caller manages. */
export async function mailboxIdsOf(db: Db, caller: Caller): Promise<string[]> {
  const rows = await db
    .selectFrom('mailboxes')
    .select('id')
    .where('organization_id', '=', caller.organizationId)
    .where(caller.managesIn('id'))
    .execute()
  return rows.map(({ id }) => id)
}

/** Those that the caller reads and that are not Private. */
export async function smartMailboxesOf(db: Db, caller: Caller): Promise<{ id: string; address: string }[]> {
  return await db
    .selectFrom('mailboxes')
    .select(['id', 'address'])
    .where('organization_id', '=', caller.organizationId)
    .where('kind', '=', 'smart')
    .where(caller.mayIn('read', 'id'))
    .execute()
}

/** A domain by its name, in ASCII form and lower case, or by its id. */
export type DomainNamed = string | { readonly id: string }

/** Locks the domain against transactions that add addresses to it. */
export async function domainForAddresses(
  tx: Tx,
  organizationId: string,
  named: DomainNamed,
): Promise<{ id: string; domain: string; status: string; suspended: boolean } | undefined> {
  const { rows } = await sql<{ id: string; domain: string; status: string; suspended: boolean }>`
    select id, domain, status, suspended_at is not null as suspended from domains
    where organization_id = ${organizationId}
      and ${typeof named === 'string' ? sql`domain = ${named}` : sql`id = ${named.id}`}
    for no key update`.execute(tx)
  return rows[0]
}

/** Within the organization only: another one that has lost the domain may still have the address, for its old mail. */
export async function isTaken(tx: Tx, organizationId: string, address: string): Promise<boolean> {
  const taken = await tx
    .selectFrom('addresses')
    .select('address')
    .where('organization_id', '=', organizationId)
    .where('address', '=', address)
    .executeTakeFirst()
  return taken !== undefined
}

/** The mailbox belongs to the member with its address, if there is one. Triggers insert the address and count the mailbox. */
export async function insertMailbox(
  tx: Tx,
  mailbox: {
    organizationId: string
    domainId: string
    address: string
    localPart: string
    name: string
    certificate: Certificate | undefined
    passwordHash: string | null
  },
): Promise<string> {
  const { id } = await tx
    .insertInto('mailboxes')
    .values(({ selectFrom }) => ({
      organization_id: mailbox.organizationId,
      domain_id: mailbox.domainId,
      member_id: selectFrom('members')
        .select('id')
        .where('organization_id', '=', mailbox.organizationId)
        .where(({ eb, fn }) => eb(fn('lower', ['email']), '=', mailbox.address)),
      address: mailbox.address,
      local_part: mailbox.localPart,
      name: mailbox.name,
      kind: mailbox.certificate ? 'private' : 'smart',
      public_key: mailbox.certificate?.armored ?? null,
      public_key_usable_at: mailbox.certificate?.usableAt ?? null,
      password_hash: mailbox.passwordHash,
    }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Skips addresses that exist already. */
export async function insertAliases(
  tx: Tx,
  mailbox: { organizationId: string; mailboxId: string },
  addresses: readonly string[],
): Promise<void> {
  await tx
    .insertInto('addresses')
    .values(
      addresses.map((address) => ({
        address,
        organization_id: mailbox.organizationId,
        mailbox_id: mailbox.mailboxId,
        alias: true,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Makes the mailbox with the member's address theirs, as `insertMailbox` does for a later mailbox. */
export async function giveMailbox(tx: Tx, organizationId: string, memberId: string): Promise<void> {
  await sql`
    update mailboxes set member_id = member.id from members as member
    where member.organization_id = ${organizationId} and member.id = ${memberId}
      and mailboxes.organization_id = member.organization_id and mailboxes.address = lower(member.email)`.execute(tx)
}
