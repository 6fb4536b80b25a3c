import type { Db } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import type { Access } from '../access.ts'
import { ofFolder, refused } from '../changing/refused.ts'
import { mailbox } from '../client/mailbox-name.ts'

/** How long a caller waits for a connection, in milliseconds. Without one nothing is known. */
const longestWait = 1_000

/** Asks the server about a name, in the organization's oldest mailbox. The name passes if the server does not answer: mail
 *  whose folder it refuses goes to the inbox. @throws invalid if it refuses the name for good */
export async function checkFolder(db: Db, access: Access, organizationId: string, folder: string): Promise<void> {
  const box = await db
    .selectFrom('mailboxes')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!box) return
  const account = { mailbox: { organizationId, mailboxId: box.id }, login: box.id, waiting: false }
  const until = performance.now() + longestWait
  try {
    await access.inMailbox(
      account,
      async (session, layout) => {
        const path = await layout.pathOf(session, folder)
        // RFC 5530: CANNOT for what is impossible, another code for what does not exist.
        await session.connection.run([`STATUS ${mailbox(path)} (MESSAGES)`]).catch((error: unknown) => {
          throw ofFolder(error)
        })
      },
      until,
    )
  } catch (error) {
    if (refused(error)?.lasting === 'permanent') throw error
    if (!(error instanceof Refusal)) throw error
  }
}
