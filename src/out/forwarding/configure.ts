import { createHash } from 'node:crypto'
import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import type { Caller } from '#/http/access/caller.ts'
import { assertRecipients, type Change, changed, type Forwarding } from './forwarding.ts'
import { addressesOf, forwardingOf, lockSettings, type Row, saveSettings } from './queries.ts'

/** Changes the settings of the mailbox with that address. @throws Refusal if the caller may not send from it, too */
export async function configure(
  tx: Tx,
  caller: Caller,
  address: string,
  change: Change,
  { now, by }: { now: Date; by: Actor },
): Promise<Row> {
  const { organizationId } = caller
  const named = await settingsOf(tx, caller, address)
  caller.assertMay('send', { id: named.mailboxId, address: named.address })
  await lockSettings(tx, organizationId, named.mailboxId, now)
  const before = await settingsOf(tx, caller, address)
  const addresses = await addressesOf(tx, organizationId, before.mailboxId)
  const after = { ...before, ...changed(before, change, { ...before, addresses }, now) }
  assertRecipients(caller, change, after)
  await saveSettings(tx, organizationId, before.mailboxId, after)
  await record(tx, by, {
    ...{ organizationId, action: 'forwarding.changed', id: before.mailboxId, name: before.address },
    ...{ before: recorded(before), after: recorded(after) },
  })
  return { ...after, updatedAt: now }
}

/** The settings of the mailbox with that address, not an alias, that the caller reads. @throws Refusal if there is none */
export async function settingsOf(db: Db, caller: Caller, address: string): Promise<Row> {
  const canonical = canonicalAddress(address)
  const found = canonical === undefined ? undefined : await forwardingOf(db, caller, canonical)
  if (!found) throw notFound('mailbox')
  return found
}

/** For the audit trail. The text of a reply is mail, so only its digest shows whether it changed. */
function recorded(settings: Forwarding) {
  const { forwardEnabled, forwardTo, forwardSince, forwardUntil, pausedAt } = settings
  const { replyEnabled, replySubject, replyBody, replySince, replyUntil } = settings
  const reply = JSON.stringify([replySubject, replyBody])
  return {
    ...{ forward_enabled: forwardEnabled, forward_to: forwardTo, forward_since: forwardSince },
    ...{ forward_until: forwardUntil, forward_paused_at: pausedAt },
    ...{ reply_enabled: replyEnabled, reply_since: replySince, reply_until: replyUntil },
    reply_sha256: createHash('sha256').update(reply).digest('hex'),
  }
}
