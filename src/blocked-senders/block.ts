import type { Tx } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import { lockOrganization } from '#/organizations/lock.ts'
import type { Owner } from '#/organizations/owner.ts'
import { type BlockedSender, mostBlocked } from './pattern.ts'
import { blockedCount, blockedNamed, insertBlocked } from './queries.ts'

/** Blocks a pattern, which must have been checked (`blockPattern`). Idempotent. */
export async function blockSender(
  tx: Tx,
  owner: Owner,
  pattern: string,
): Promise<{ blocked: BlockedSender; isNew: boolean }> {
  await lockOrganization(tx, owner.organizationId)
  const before = await blockedNamed(tx, owner, { column: 'pattern', value: pattern })
  if (before) return { blocked: before, isNew: false }
  if ((await blockedCount(tx, owner)) >= mostBlocked) throw full()
  return { blocked: await insertBlocked(tx, owner, pattern), isNew: true }
}

function full(): Refusal {
  return new Refusal('invalid_request', `At most ${mostBlocked.toLocaleString('en')} senders can be blocked`, {
    fix: 'Unblock those that no longer write, or block a whole domain in place of its addresses',
  })
}
