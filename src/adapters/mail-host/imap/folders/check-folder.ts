import type { Db } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import type { Access } from '../access.ts'
import { ofFolder, refused } from '../changing/refused.ts'
import { mailbox } from '../client/mailbox-name.ts'

/** How long whoever asks waits for a connection, in milliseconds: where there is none, nothing is known. */
const longestWait = 1_000

/** Asks the server about a name, in the organization's oldest mailbox. Where it does not answer the name
 *  passes: mail whose folder it refuses comes into the inbox.
 *  @throws invalid where it refuses the name for good */
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
      async ({ connection }, layout) => {
        // RFC 5530: CANNOT for what can never be, another code for what is not there.
        await connection.run([`STATUS ${mailbox(layout.pathOf(folder))} (MESSAGES)`]).catch((error: unknown) => {
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
