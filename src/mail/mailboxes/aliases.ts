import { sql } from 'kysely'
import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import { canonicalAddress, splitAddress } from '#/formats/mime/address/address.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { localPart, requiredAliases } from './mailbox.ts'
import { domainForAddresses } from './queries.ts'

/** Another address of a mailbox. */
export interface Alias {
  readonly alias: string
  readonly organization: string
  readonly mailbox: string
}

/** A mailbox is always shown with all its aliases. */
const mostAliases = 100

/** The aliases of one organization, or of all. */
export async function aliasesOf(
  db: Db,
  { organizationId, alias }: { organizationId?: string | undefined; alias?: string },
): Promise<(Alias & MailboxRef)[]> {
  const { rows } = await sql<Alias & MailboxRef>`
    select address.address as alias, organization.name as organization, mailbox.address as mailbox,
      mailbox.id as "mailboxId", mailbox.organization_id as "organizationId"
    from addresses address
    join mailboxes mailbox on mailbox.id = address.mailbox_id
    join organizations organization on organization.id = mailbox.organization_id
    where address.alias
      and ${organizationId === undefined ? sql`true` : sql`address.organization_id = ${organizationId}`}
      and ${alias === undefined ? sql`true` : sql`address.address = ${alias}`}
    order by address.address, lower(organization.name)`.execute(db)
  return rows
}

/**
 * Adds an address to a mailbox, on any domain that its organization has verified. Names that RFC 2142 reserves can be aliases
 * only. postmaster@ and abuse@ always exist, so they move here from another mailbox.
 * @returns the alias in canonical form, and whether it is new
 * @throws Refusal if another mailbox has the address, or the mailbox forwards to it
 */
export async function addAlias(
  tx: Tx,
  mailbox: MailboxRef,
  given: string,
  by: Actor,
): Promise<{ readonly alias: string; readonly isNew: boolean }> {
  const { organizationId, mailboxId } = mailbox
  const { alias, local, domain } = aliasIn(given)
  const home = await domainForAddresses(tx, organizationId, domain)
  if (home?.status !== 'verified')
    throw invalid('alias', `${domain} is not a domain that the mailbox's organization has verified`)
  const before = await holderOf(tx, organizationId, alias)
  if (before?.mailboxId === mailboxId && before.alias) return { alias, isNew: false }
  if (before && !(before.alias && isRequired(local)))
    throw invalid('alias', `${alias} exists already, at ${before.mailbox}`)
  await assertRoomFor(tx, mailboxId, alias)
  await sql`
    insert into addresses (address, organization_id, mailbox_id, alias)
    values (${alias}, ${organizationId}, ${mailboxId}, true)
    on conflict (organization_id, address) do update set mailbox_id = excluded.mailbox_id`.execute(tx)
  const after = (await holderOf(tx, organizationId, alias))?.mailbox
  await record(tx, by, {
    ...{ organizationId, action: 'alias.added', id: mailboxId, name: alias },
    ...{ before: before ? { mailbox: before.mailbox } : null, after: { mailbox: after } },
  })
  return { alias, isNew: true }
}

/** @throws Refusal for postmaster@ and abuse@, which can only move to another mailbox */
export async function removeAlias(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  alias: string,
  by: Actor,
): Promise<void> {
  const { local } = splitAddress(alias) ?? { local: '' }
  if (isRequired(local))
    throw invalid('alias', `Every domain has ${alias}`, 'Give it to another mailbox by `mailroom mailbox alias add`')
  const { rows } = await sql<{ mailbox: string }>`
    delete from addresses
    where organization_id = ${organizationId} and mailbox_id = ${mailboxId} and address = ${alias} and alias
    returning (select address from mailboxes where id = mailbox_id) as mailbox`.execute(tx)
  for (const before of rows)
    await record(tx, by, { organizationId, action: 'alias.removed', id: mailboxId, name: alias, before, after: null })
}

function aliasIn(given: string): { alias: string; local: string; domain: string } {
  const alias = canonicalAddress(given)
  const parts = alias === undefined ? undefined : splitAddress(alias)
  if (alias === undefined || !parts) throw invalid('alias', `"${given}" is not an e-mail address`)
  return { alias, local: localPart('alias', parts.local), domain: parts.domain }
}

function isRequired(local: string): boolean {
  return requiredAliases.some((name) => name === local)
}

/** The organization's mailbox with this address, and whether that is an alias. */
export async function holderOf(db: Db, organizationId: string, address: string) {
  const { rows } = await sql<{ mailboxId: string; mailbox: string; alias: boolean }>`
    select mailbox.id as "mailboxId", mailbox.address as mailbox, address.alias
    from addresses address join mailboxes mailbox on mailbox.id = address.mailbox_id
    where address.organization_id = ${organizationId} and address.address = ${address}`.execute(db)
  return rows[0]
}

async function assertRoomFor(tx: Tx, mailboxId: string, alias: string): Promise<void> {
  const { rows } = await sql<{ count: number; forwards: boolean }>`
    select (select count(*)::integer from addresses where mailbox_id = ${mailboxId} and alias) as count,
      exists (select from forwarding where mailbox_id = ${mailboxId} and forward_to = ${alias}) as forwards`.execute(tx)
  const [{ count, forwards } = { count: 0, forwards: false }] = rows
  if (forwards) throw invalid('alias', `The mailbox forwards to ${alias}`)
  if (count >= mostAliases) throw new Refusal('invalid_request', `A mailbox has at most ${mostAliases} aliases`)
}
