import { isKeyword } from '#/labels/keyword.ts'
import type { MailboxRef, Mark } from '#/ports/mail-host.ts'
import type { Reach } from '../reach.ts'
import { numbers } from './list.ts'

export async function marked(
  reach: Reach,
  mailbox: MailboxRef,
  folders: readonly string[],
  mark: Mark,
): Promise<Map<string, readonly number[]>> {
  const found = new Map<string, readonly number[]>()
  const key = searchKey(mark)
  if (key === undefined) return found
  for (const name of folders) {
    found.set(name, await reach.inFolder(mailbox, name, (session) => numbers(session, 'SEARCH', key)))
  }
  return found
}

/** Undefined for a mark that no message can have. */
function searchKey(mark: Mark): string | undefined {
  if (mark === 'flagged') return 'FLAGGED'
  const keyword = mark.keyword.toLowerCase()
  return isKeyword(keyword) ? `KEYWORD ${keyword}` : undefined
}
