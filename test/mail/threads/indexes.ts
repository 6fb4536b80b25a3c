import type { Db } from '#/base/db/schema.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import { folderChanges } from '#/mail/store/changes.ts'
import { folderStates } from '#/mail/store/folders.ts'
import { ThreadCache } from '#/mail/threads/cache.ts'
import { MailboxIndexes } from '#/mail/threads/mailbox-indexes.ts'

/** The indexes of mail in a database. */
export function indexesOn(db: Db, key: IdHashKey, maxBytes = 1 << 30) {
  const threads = new ThreadCache({ changes: (...asked) => folderChanges(db, ...asked), key, maxBytes })
  const mailboxIndexes = new MailboxIndexes({ folderStates: (mailbox) => folderStates(db, mailbox), threads })
  return { threads, mailboxIndexes }
}
