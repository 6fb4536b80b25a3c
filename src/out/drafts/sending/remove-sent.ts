import type { Db } from '#/base/db/schema.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { readSummaries } from '#/mail/store/read.ts'
import { draftMessageId, foreignKey } from '../identity.ts'
import { forgetSentDrafts, noteRemoved, notRemoved } from './sent.ts'

/** Removes the messages of sent drafts whose removal failed: the process died, or the database was away. Forgets drafts
 *  that were sent long ago. */
export async function removeSentDrafts(db: Db): Promise<void> {
  for (const { mailbox, domain, key, uid } of await notRemoved(db)) {
    const [summary] = await readSummaries(db, mailbox, 'drafts', [uid])
    // In a folder that was created again the uid may be another message's.
    const isIt = summary && (summary.messageId === draftMessageId(key, domain) || foreignKey(summary) === key)
    if (isIt) await expungeMessages(db, mailbox, 'drafts', [uid])
    await noteRemoved(db, mailbox, key)
  }
  await forgetSentDrafts(db)
}
