import type { Db } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { Running } from './queries.ts'
import { stepOf } from './record.ts'

interface Parts {
  readonly db: Db
  readonly mailHost: MailHost
  /** Resolves when the next step may begin. */
  readonly between: () => Promise<void>
}

/** Messages in one step. */
const together = 500

/** Removes a keyword from all messages of the change's mailboxes, or replaces it, step by step. A repetition finds the
 *  remaining messages. */
export async function replaceKeyword(
  { db, mailHost, between }: Parts,
  change: Running & { readonly remove_keyword: string },
  goesOn: () => Promise<boolean>,
): Promise<boolean> {
  const { id, organization_id: organizationId, remove_keyword: keyword, add_keyword, by } = change
  const alteration = { removeKeywords: [keyword], addKeywords: add_keyword === null ? [] : [add_keyword] }
  const step = async (mailbox: MailboxRef, folder: string): Promise<boolean> => {
    const { messages } = await mailHost.list(mailbox, folder, { limit: together, page: 0, keyword })
    if (messages.length === 0) return false
    const uids = messages.map(({ uid }) => uid)
    await mailHost.update(mailbox, folder, uids, alteration, by, stepOf(db, id))
    return messages.length === together
  }
  for (const mailboxId of change.mailboxes) {
    const mailbox = { organizationId, mailboxId }
    for (const { name } of await mailHost.folders(mailbox)) {
      for (let more = true; more; ) {
        if (!(await goesOn())) return false
        more = await step(mailbox, name).catch(ifRefused)
        if (more) await between()
      }
    }
  }
  return true
}

/** The folder or the mailbox has been deleted meanwhile, or the mail host keeps no such keyword there. */
function ifRefused(error: unknown): false {
  if (error instanceof Refusal && error.code !== 'mail_unavailable') return false
  throw error
}
