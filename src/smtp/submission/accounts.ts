import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { canonicalAddress, splitAddress, stripTag } from '#/formats/mime/address/address.ts'

/** A mailbox as an account of submission. */
export interface Account {
  readonly organizationId: string
  readonly mailboxId: string
  readonly address: string
  readonly name: string
  readonly private: boolean
  readonly passwordHash: string | null
  /** The mailbox, or its domain. */
  readonly suspended: boolean
  /** Its domain is verified, so its mail is signed and can be answered. */
  readonly verified: boolean
  /** Recipients a day by the plan, and how many are left of this UTC day. */
  readonly allowance: { readonly a_day: number; readonly left: number }
}

interface Row extends Omit<Account, 'allowance'> {
  readonly a_day: number
  readonly used: number
}

function accounts(db: Db, which: ReturnType<typeof sql>): Promise<Account | undefined> {
  const found = sql<Row>`
    select mailbox.id as "mailboxId", mailbox.organization_id as "organizationId", mailbox.address, mailbox.name,
      mailbox.kind = 'private' as private, mailbox.password_hash as "passwordHash",
      mailbox.suspended_at is not null or domain.suspended_at is not null as suspended,
      domain.status = 'verified' as verified, plan.sends_per_day as a_day, coalesce((
        select recipients from sends
        where sends.organization_id = mailbox.organization_id and day = (now() at time zone 'UTC')::date
      ), 0) as used
    from mailboxes mailbox
    join domains domain on domain.id = mailbox.domain_id
    join organizations organization on organization.id = mailbox.organization_id
    join plans plan on plan.name = organization.plan
    where ${which}`.execute(db)
  return found.then(({ rows: [row] }) => {
    if (!row) return undefined
    const { a_day, used, ...account } = row
    return { ...account, allowance: { a_day, left: Math.max(0, a_day - used) } }
  })
}

/** By the mailbox's address, in canonical form. Only the organization that has proved the domain counts. */
export function accountByLogin(db: Db, address: string): Promise<Account | undefined> {
  return accounts(db, sql`mailbox.address = ${address} and domain.ownership_verified_at is not null`)
}

export function accountById(
  db: Db,
  { organizationId, mailboxId }: Pick<Account, 'organizationId' | 'mailboxId'>,
): Promise<Account | undefined> {
  return accounts(db, sql`mailbox.organization_id = ${organizationId} and mailbox.id = ${mailboxId}`)
}

/** Those of the addresses, in canonical form, that the mailbox may not send as. It may send as its address and its aliases,
 *  each with any tag, on domains that the organization has verified and that are not suspended. */
export async function notOwnedBy(
  db: Db,
  { organizationId, mailboxId }: Pick<Account, 'organizationId' | 'mailboxId'>,
  addresses: readonly string[],
): Promise<string[]> {
  const forms = addresses.map(formsOf)
  const { rows } = await sql<{ address: string; own: boolean }>`
    select one.address, one.mailbox_id = ${mailboxId} and exists (
      select from domains domain
      where domain.organization_id = one.organization_id and domain.domain = substring(one.address from '[^@]*$')
        and domain.status = 'verified' and domain.suspended_at is null
    ) as own
    from addresses one
    where one.organization_id = ${organizationId} and one.address = any (${forms.flat()}::text[])`.execute(db)
  const found = new Map(rows.map(({ address, own }) => [address, own]))
  return addresses.filter((_, at) => !forms[at]?.map((form) => found.get(form)).find((own) => own !== undefined))
}

/** The address, and the address without its tag. A mailbox with the first one has precedence. */
function formsOf(address: string): string[] {
  const { local = '', domain = '' } = splitAddress(canonicalAddress(address) ?? '') ?? {}
  return [`${local}@${domain}`, `${stripTag(local)}@${domain}`]
}
