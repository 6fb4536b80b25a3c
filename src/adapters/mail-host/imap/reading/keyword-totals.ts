import { invalid } from '#/errors.ts'
import { unlessFolderGone } from '#/mail/folder-names.ts'
import type { KeywordTotal, MailboxRef } from '#/ports/mail-host.ts'
import type { InFolder } from '../access.ts'
import type { Reach } from '../reach.ts'
import { forwardedKeyword } from './contents.ts'
import { numbers } from './list.ts'

/** Mailboxes in one request. Each takes a login, and searches in every folder. */
const mostMailboxes = 20

/** Searches each folder for every keyword that it has or had: the server has no counts. */
export async function keywordTotals(reach: Reach, mailboxes: readonly MailboxRef[]): Promise<KeywordTotal[]> {
  if (mailboxes.length > mostMailboxes) {
    throw invalid(
      'mailbox',
      `On a mail server, labels of at most ${mostMailboxes} mailboxes are counted at once`,
      'Name one',
    )
  }
  const totals = new Map<string, KeywordTotal>()
  for (const mailbox of mailboxes) {
    for (const { name, total } of await reach.statuses(mailbox)) {
      if (total === 0) continue
      for (const found of (await reach.inFolder(mailbox, name, inFolder).catch(unlessFolderGone)) ?? []) {
        const { keyword } = found
        const before = totals.get(keyword) ?? { total: 0, unread: 0 }
        totals.set(keyword, { keyword, total: before.total + found.total, unread: before.unread + found.unread })
      }
    }
  }
  return [...totals.values()].sort((a, b) => (a.keyword < b.keyword ? -1 : 1))
}

const inFolder: InFolder<KeywordTotal[]> = async (session, folder) => {
  const found: KeywordTotal[] = []
  for (const keyword of folder.keywords) {
    if (keyword === forwardedKeyword) continue
    const { length: total } = await numbers(session, 'SEARCH', `KEYWORD ${keyword}`)
    if (total === 0) continue
    const { length: unread } = await numbers(session, 'SEARCH', `UNSEEN KEYWORD ${keyword}`)
    found.push({ keyword, total, unread })
  }
  return found
}
