import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Actor } from '#/base/audit/actor.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import { pathFolder } from '#/mail/folders/folders.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { uidsAfter } from '#/mail/store/list.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'

/** Messages in one step. Other requests run between steps. */
const together = 500
/** How long a request empties a folder, in milliseconds. */
const mostSpent = 5_000

/** The folders whose messages can be deleted for good. */
const emptiable = ['junk', 'trash']

/** Reads the name of a folder that can be emptied, from a path. */
export function emptiableFolder(text: string): string {
  const name = pathFolder(text)
  if (emptiable.includes(name)) return name
  throw invalid('path', 'Only trash and junk can be emptied', 'Delete messages of other folders by their ids')
}

export interface Emptying {
  /** Messages with higher uids stay. */
  readonly upToUid: number
  readonly by: Actor
  /** How many an attempt before has deleted. */
  readonly before?: number
  /** Called with how many are deleted, in the transactions that delete them. */
  readonly record?: (tx: Tx, deleted: number) => Promise<void>
  readonly most?: number
}

export interface Emptied {
  readonly deleted: number
  /** Whether the time ended first. */
  readonly hasMore: boolean
}

/** Deletes the messages of a folder for good, step by step, for a bounded time. */
export async function emptyFolder(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  { upToUid, by, before = 0, record, most = mostSpent }: Emptying,
): Promise<Emptied> {
  const until = performance.now() + most
  let deleted = before
  for (let steps = 0; ; steps++) {
    const uids = (await uidsAfter(db, mailbox, name, 0, together)).filter((uid) => uid <= upToUid)
    if (uids.length === 0) return { deleted, hasMore: false }
    // Otherwise requests to a server that deletes nothing would never end.
    if (steps > 0 && performance.now() >= until) return { deleted, hasMore: true }
    await expungeMessages(db, mailbox, name, uids, by, async (tx, gone) => {
      deleted += gone.length
      await record?.(tx, deleted)
    })
    await nextTurn()
  }
}
