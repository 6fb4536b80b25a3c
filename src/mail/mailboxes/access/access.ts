import type { Actor } from '#/base/audit/actor.ts'
import { record, type Settings } from '#/base/audit/record.ts'
import type { Tx } from '#/base/db/schema.ts'
import { invalid, notFound, Refusal } from '#/base/errors.ts'
import type { Level } from '#/http/access/caller.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { deleteAccess, levelOf, lockForAccess, memberForAccess, upsertAccess } from './queries.ts'

/** Which mailboxes one may share: all, or those that are not a member's own. */
export type Shares = 'all' | 'unowned'

/** One's access in the audit trail. */
export interface RecordedAccess {
  readonly member_id: string
  readonly member: string
  readonly level: Level
}

/** A change of a member's access to a mailbox. */
export interface Sharing {
  readonly mailbox: MailboxRef
  readonly memberId: string
  readonly shares: Shares
  readonly by: Actor
}

/** Shares a mailbox with a member, or changes the level. @throws Refusal */
export async function giveAccess(tx: Tx, sharing: Sharing, level: Level): Promise<void> {
  const { address, kind, ownerId } = await lockShared(tx, sharing)
  const { mailbox, memberId } = sharing
  const member = await memberForAccess(tx, mailbox.organizationId, memberId)
  if (!member) throw notFound('member')
  if (ownerId === memberId) throw invalid('member_id', `${address} is the own mailbox of ${member.email}`)
  if (kind === 'private') {
    throw invalid('address', `${address} is a Private mailbox: only the key of its owner opens its mail`)
  }
  const before = await levelOf(tx, mailbox, memberId)
  if (before === level) return
  await upsertAccess(tx, mailbox, memberId, level)
  await recordAccess(tx, sharing, { address, email: member.email, before, after: level })
}

/** Ends what `giveAccess` gave. @throws Refusal if the mailbox is not shared with the member */
export async function endAccess(tx: Tx, sharing: Sharing): Promise<void> {
  const { address } = await lockShared(tx, sharing)
  const { mailbox, memberId } = sharing
  const member = await memberForAccess(tx, mailbox.organizationId, memberId)
  const before = await deleteAccess(tx, mailbox, memberId)
  if (!member || !before) throw notFound('access')
  await recordAccess(tx, sharing, { address, email: member.email, before, after: undefined })
}

async function lockShared(tx: Tx, { mailbox, shares }: Sharing) {
  const locked = await lockForAccess(tx, mailbox)
  if (!locked) throw notFound('mailbox')
  if (shares === 'unowned' && locked.ownerId !== null) {
    throw new Refusal('forbidden', `${locked.address} is a member's own mailbox`, {
      fix: 'Ask an owner of the organization',
    })
  }
  return locked
}

function recordAccess(
  tx: Tx,
  { mailbox: { organizationId, mailboxId }, memberId, by }: Sharing,
  change: { address: string; email: string; before: Level | undefined; after: Level | undefined },
): Promise<void> {
  const { address, email, before, after } = change
  const settings = (level: Level | undefined): (RecordedAccess & Settings) | null =>
    level ? { member_id: memberId, member: email, level } : null
  return record(tx, by, {
    ...{ organizationId, action: 'mailbox.access_changed', id: mailboxId, name: address },
    ...{ before: settings(before), after: settings(after) },
  })
}
