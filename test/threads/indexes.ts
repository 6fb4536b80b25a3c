import type { Db } from '#/db/schema.ts'
import { folderChanges } from '#/mail/changes.ts'
import { folderStates } from '#/mail/folders.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import { ThreadCache } from '#/threads/cache.ts'
import { MailboxIndexes } from '#/threads/mailbox/mailbox-indexes.ts'

/** The indexes of mail in a database. */
export function indexesOn(db: Db, key: IdHashKey, maxBytes = 1 << 30) {
  const threads = new ThreadCache({ changes: (...asked) => folderChanges(db, ...asked), key, maxBytes })
  const mailboxIndexes = new MailboxIndexes({ folderStates: (mailbox) => folderStates(db, mailbox), threads })
  return { threads, mailboxIndexes }
}
