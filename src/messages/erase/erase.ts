import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Actor } from '#/audit/actor.ts'
import { invalid } from '#/errors.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { pathFolder } from '../folders/folders.ts'

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
  throw invalid('path', 'Only trash and junk can be emptied', 'Delete messages of other folders by their uids')
}

export interface Emptying {
  /** Messages with higher uids stay; undefined for those that arrive from now on. */
  readonly upToUid: number | undefined
  readonly by: Actor
  readonly most?: number
}

export interface Emptied {
  readonly deleted: number
  /** Whether the time ended first. */
  readonly hasMore: boolean
  readonly upToUid: number
}

/** Deletes the messages of a folder for good, step by step, for a bounded time. */
export async function emptyFolder(
  mailHost: MailHost,
  mailbox: MailboxRef,
  name: string,
  { upToUid, by, most = mostSpent }: Emptying,
): Promise<Emptied> {
  const last = upToUid ?? (await mailHost.extent(mailbox, name)).lastUid
  const until = performance.now() + most
  for (let deleted = 0, steps = 0; ; steps++) {
    const uids = (await mailHost.uidsAfter(mailbox, name, 0, together)).filter((uid) => uid <= last)
    if (uids.length === 0) return { deleted, hasMore: false, upToUid: last }
    // Otherwise requests to a server that deletes nothing would never end.
    if (steps > 0 && performance.now() >= until) return { deleted, hasMore: true, upToUid: last }
    deleted += (await mailHost.expunge(mailbox, name, uids, by)).length
    await nextTurn()
  }
}
