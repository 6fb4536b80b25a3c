import type { Access, Account } from '../access.ts'
import { unlessRefused } from '../client/errors.ts'
import { fetch } from '../client/fetch.ts'
import { mailbox } from '../client/mailbox-name.ts'
import type { ImapSession } from '../client/session.ts'
import type { Spool } from '../spool/spool.ts'
import { expunge } from './change.ts'

/** Messages that one command expunges. Other changes of the mailbox run between commands. */
const mostMessages = 500

/** Removes mail in the spool, so that none arrives afterwards, and expunges folder by folder in bounded batches. Yields
 *  after each how many are deleted. */
export async function* empty(access: Access, spool: Spool, account: Account): AsyncGenerator<number> {
  let gone = 0
  for await (const discarded of spool.discard(account.mailbox)) {
    gone += discarded
    yield gone
  }
  const folders = await access.inMailbox(account, (session, layout) => layout.statuses(session))
  for (const { name } of folders) {
    for (;;) {
      const expunged = await access.exclusively(account.mailbox, () =>
        access.inFolder(account, name, async (session, { exists }) => {
          const uids = await lowestUids(session, exists)
          if (uids.length > 0) await expunge(session, uids)
          return uids.length
        }),
      )
      if (expunged === 0) break
      gone += expunged
      yield gone
    }
  }
}

/** Deletes all folders, and with them what a server stores of their mail. INBOX cannot be deleted (RFC 9051, section 6.3.5),
 *  but it can once it is renamed. */
export async function removeFolders(access: Access, account: Account): Promise<void> {
  await access.exclusively(account.mailbox, () =>
    access.inMailbox(account, async (session, layout) => {
      const { connection } = session
      const put = layout.newPath()
      await session.unselect()
      // A folder is deleted before its parent.
      const paths = (await layout.everyFolder(session))
        .map(({ path }) => path)
        .sort()
        .reverse()
      const commands = [
        ...paths.filter((path) => path !== 'INBOX').map((path) => `DELETE ${mailbox(path)}`),
        `RENAME INBOX ${mailbox(put)}`,
        `DELETE ${mailbox(put)}`,
      ]
      for (const command of commands) {
        // A server may keep a folder with a special use. It is empty.
        await connection.run([command]).catch(unlessRefused)
      }
    }),
  )
}

/** The first messages of the selected folder. */
export async function lowestUids({ connection }: ImapSession, exists: number): Promise<number[]> {
  const uids = new Set<number>()
  if (exists === 0) return []
  const last = Math.min(exists, mostMessages)
  await fetch(connection, `FETCH 1:${last} (UID)`, 'UID', ({ uid }, { number }) => {
    // The server also reports the flags of later messages, and of some twice, if another program changes them meanwhile.
    if (number > last) return false
    uids.add(uid)
    return undefined
  })
  return [...uids].sort((a, b) => a - b)
}
