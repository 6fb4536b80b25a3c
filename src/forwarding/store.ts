import type { Db, Tx } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import { canonicalAddress } from '#/mime/address.ts'
import { type Change, changed } from './forwarding.ts'
import { addressesOf, forwardingOf, lockSettings, type Row, saveSettings } from './queries.ts'

/** Changes the settings of the organization's mailbox with that address. @throws Refusal */
export async function configure(
  tx: Tx,
  organizationId: string,
  address: string,
  change: Change,
  now: Date,
): Promise<Row> {
  const named = await settingsOf(tx, organizationId, address)
  await lockSettings(tx, organizationId, named.mailboxId, now)
  const before = await settingsOf(tx, organizationId, address)
  const addresses = await addressesOf(tx, organizationId, before.mailboxId)
  const after = { ...before, ...changed(before, change, { ...before, addresses }, now) }
  await saveSettings(tx, organizationId, before.mailboxId, after)
  return { ...after, updatedAt: now }
}

/** The settings of the mailbox with that address, not an alias. @throws Refusal if there is none */
export async function settingsOf(db: Db, organizationId: string, address: string): Promise<Row> {
  const canonical = canonicalAddress(address)
  const found = canonical === undefined ? undefined : await forwardingOf(db, organizationId, canonical)
  if (!found) throw notFound('mailbox')
  return found
}
