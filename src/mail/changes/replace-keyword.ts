import type { Db } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { folderStatuses } from '#/mail/store/folders.ts'
import { listMessages } from '#/mail/store/list.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { updateIn } from '#/mail/store/update.ts'
import type { Running } from './queries.ts'
import { stepOf } from './record.ts'

interface Dependencies {
  readonly db: Db
  /** Resolves when the next step may begin. */
  readonly between: () => Promise<void>
  /** Messages in one step. */
  readonly together: number
}

/** Passes over the folders of a mailbox: a mail program may set the keyword again and again. */
const mostPasses = 5

/** Removes a keyword from all messages of the change's mailboxes, or replaces it, step by step. A repetition finds the
 *  remaining messages. */
export async function replaceKeyword(
  { db, between, together }: Dependencies,
  change: Running & { readonly remove_keyword: string },
  mayContinue: () => Promise<boolean>,
): Promise<boolean> {
  const { id, organization_id: organizationId, remove_keyword: keyword, add_keyword, by } = change
  const alteration = { removeKeywords: [keyword], addKeywords: add_keyword === null ? [] : [add_keyword] }
  const step = async (mailbox: MailboxRef, name: string): Promise<number> => {
    const { messages } = await listMessages(db, mailbox, name, { limit: together, page: 0, keyword })
    if (messages.length === 0) return 0
    const uids = messages.map(({ uid }) => uid)
    await db.transaction().execute((tx) => updateIn(tx, { mailbox, name }, uids, alteration, by, stepOf(id)))
    return messages.length
  }
  for (const mailboxId of change.mailboxes) {
    const mailbox = { organizationId, mailboxId }
    // A message may move meanwhile to a folder that is done.
    for (let [pass, found] = [0, 1]; found > 0 && pass < mostPasses; pass++) {
      found = 0
      for (const { name } of await folderStatuses(db, mailbox)) {
        for (let changed = together; changed === together; found += changed) {
          if (!(await mayContinue())) return false
          changed = await step(mailbox, name).catch(ifRefused)
          if (changed === together) await between()
        }
      }
    }
  }
  return true
}

/** The folder or the mailbox has been deleted meanwhile. */
function ifRefused(error: unknown): 0 {
  if (error instanceof Refusal) return 0
  throw error
}
