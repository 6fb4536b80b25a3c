import type { Actor } from '#/base/audit/actor.ts'
import type { Tx } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { lockOwner } from '#/base/ownership/lock.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import { recordOwned } from '#/base/ownership/record-owned.ts'
import { type BlockedSender, mostBlocked } from './pattern.ts'
import { blockedCount, blockedNamed, deleteBlocked, insertBlocked, type Naming } from './queries.ts'

/** Blocks a pattern, which must have been checked (`blockPattern`). Idempotent. */
export async function blockSender(
  tx: Tx,
  owner: Owner,
  pattern: string,
  by: Actor,
): Promise<{ blocked: BlockedSender; isNew: boolean }> {
  await lockOwner(tx, owner)
  const before = await blockedNamed(tx, owner, { column: 'pattern', value: pattern })
  if (before) return { blocked: before, isNew: false }
  if ((await blockedCount(tx, owner)) >= mostBlocked) throw full()
  const blocked = await insertBlocked(tx, owner, pattern)
  const item = { action: 'blocked_sender.created', id: blocked.id, name: pattern } as const
  await recordOwned(tx, by, owner, { ...item, before: null, after: { pattern } })
  return { blocked, isNew: true }
}

/** Deletes the block with that id or pattern; undefined if there is none. */
export async function unblockSender(
  tx: Tx,
  owner: Owner,
  naming: Naming,
  by: Actor,
): Promise<BlockedSender | undefined> {
  const gone = await deleteBlocked(tx, owner, naming)
  if (!gone) return undefined
  const { id, pattern } = gone
  const item = { action: 'blocked_sender.deleted', id, name: pattern } as const
  await recordOwned(tx, by, owner, { ...item, before: { pattern }, after: null })
  return gone
}

function full(): Refusal {
  return new Refusal('invalid_request', `At most ${mostBlocked.toLocaleString('en')} senders can be blocked`, {
    fix: 'Unblock those that no longer write, or block a whole domain in place of its addresses',
  })
}
