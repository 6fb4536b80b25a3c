import { sql } from 'kysely'
import QuickLRU from 'quick-lru'
import type { Db } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import { invalid, notFound, Refusal } from '#/base/errors.ts'
import { cachedRules } from '#/base/ownership/rule-cache.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import type { Caller, Level } from '#/http/access/caller.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { Mailbox } from './mailbox.ts'
import { type OwnAddresses, ownAddresses } from './own-addresses.ts'
import { mailboxNamed, smartMailboxesOf } from './queries.ts'

/** A mailbox that a request names. */
export type MailboxNamed = MailboxRef & { readonly address: string }

/** The mailbox whose mail a caller's request reads or changes. Refuses a Private one: the server has no key to decrypt its
 *  mail (docs/reference/mailboxes.md). @throws Refusal */
export async function mailboxFor(db: Db, caller: Caller, level: Level, address: string): Promise<MailboxNamed> {
  const canonical = canonicalAddress(address)
  const mailbox = canonical === undefined ? undefined : await mailboxNamed(db, caller, canonical)
  if (!mailbox) throw notFound('mailbox')
  caller.assertMay(level, mailbox)
  assertSmart(mailbox, 'mailbox')
  return { organizationId: caller.organizationId, mailboxId: mailbox.id, address: mailbox.address }
}

/** Refuses a Private mailbox. @throws Refusal that names the field */
export function assertSmart({ kind, address }: Pick<Mailbox, 'kind' | 'address'>, field: string): void {
  if (kind !== 'private') return
  throw invalid(field, `${address} is a Private mailbox: the server holds no key to read its mail with`)
}

/** Addresses by id of the mailboxes whose mail a caller may read: those named, or all. Refuses Private ones that are named. */
export async function readableMailboxes(
  db: Db,
  caller: Caller,
  named: readonly string[] | undefined,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  if (!named) {
    for (const { id, address } of await smartMailboxesOf(db, caller)) found.set(id, address)
    return found
  }
  for (const address of named) {
    const { mailboxId } = await mailboxFor(db, caller, 'read', address)
    found.set(mailboxId, canonicalAddress(address) ?? address)
  }
  return found
}

/** Mailboxes cached in a process. */
const mostRemembered = 10_000

const rememberedOf = new WeakMap<Db, QuickLRU<string, MailboxNamed>>()

/** Calls `read` with the mailbox of the address, mostly from a cache: a mailbox never changes its address or kind. If `read`
 *  throws `not_found`, the address is looked up, and `read` is called again if another mailbox now has it. */
export async function readMailbox<T>(
  db: Db,
  caller: Caller,
  address: string,
  read: (mailbox: MailboxNamed) => Promise<T>,
): Promise<T> {
  const remembered = rememberedOf.get(db) ?? new QuickLRU<string, MailboxNamed>({ maxSize: mostRemembered })
  rememberedOf.set(db, remembered)
  const name = `${caller.organizationId} ${address}`
  const known = remembered.get(name)
  let missed: unknown
  if (known && caller.may('read', known.mailboxId)) {
    try {
      return await read(known)
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'not_found')) throw error
      remembered.delete(name)
      missed = error
    }
  }
  const mailbox = await mailboxFor(db, caller, 'read', address)
  remembered.set(name, mailbox)
  if (mailbox.mailboxId === known?.mailboxId) throw missed
  return read(mailbox)
}

/** The cache is at most 5 seconds old: aliases change seldom, and each list of conversations reads them. Must not be awaited in
 *  a transaction. */
export function ownAddressesOf(db: Db, { organizationId, mailboxId }: MailboxRef): Promise<OwnAddresses> {
  return cachedRules(db, organizationId, `addresses ${mailboxId}`, async () => {
    const { rows } = await sql<{ address: string }>`
      select address from addresses where organization_id = ${organizationId} and mailbox_id = ${mailboxId}`.execute(
      short(db),
    )
    return ownAddresses(rows.map(({ address }) => address))
  })
}
