import type { Db } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import type { Access } from './access.ts'
import { ofFolder, refused } from './refused.ts'
import { quoted } from './words.ts'

/** How long whoever asks waits for a connection, in milliseconds: where there is none, nothing is known. */
const patience = 1_000

/** Asks the server about a name, in the mailbox of the organization that was here first. Where it does not answer the name
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
  const ask = async (session: Parameters<Parameters<Access['inMailbox']>[1]>[0], path: string) => {
    // RFC 5530: CANNOT for what can never be, another code for what is not there.
    await session.connection.run([`STATUS ${quoted(path)} (MESSAGES)`]).catch((error: unknown) => {
      throw ofFolder(error)
    })
  }
  try {
    await access.inMailbox(
      account,
      (session, layout) => ask(session, layout.pathOf(folder)),
      performance.now() + patience,
    )
  } catch (error) {
    if (refused(error)?.lasting === 'for good') throw error
    if (!(error instanceof Refusal)) throw error
  }
}
