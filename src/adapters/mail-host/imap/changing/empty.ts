import { randomUUID } from 'node:crypto'
import type { Access, Account } from '../access.ts'
import { unlessRefused } from '../client/errors.ts'
import { fetch } from '../client/fetch.ts'
import { mailbox } from '../client/mailbox-name.ts'
import type { ImapSession } from '../client/session.ts'
import type { Spool } from '../spool/spool.ts'
import { expunge } from './change.ts'

/** Messages that one command expunges, between which other changes of the mailbox have their chance. */
const mostMessages = 500

/** Takes out what waits in the spool, so that nothing comes in behind us, and expunges folder by folder; a bounded batch
 *  at a time, and says after each how many have gone. */
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

/** Deletes all folders, with what a server remembers of the mail that was in them. INBOX cannot be deleted (RFC 9051, section
 *  6.3.5), but what becomes of it by another name can. */
export async function removeFolders(access: Access, account: Account): Promise<void> {
  await access.exclusively(account.mailbox, () =>
    access.inMailbox(account, async (session, layout) => {
      const { connection } = session
      const put = layout.pathOf(`Removed ${randomUUID()}`)
      await session.unselect()
      // A folder goes before the one that it is in.
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
        // A server may hold on to a folder that has a use. It is empty.
        await connection.run([command]).catch(unlessRefused)
      }
    }),
  )
}

/** Those at the beginning of the folder that is selected. */
export async function lowestUids({ connection }: ImapSession, exists: number): Promise<number[]> {
  const uids: number[] = []
  if (exists === 0) return uids
  await fetch(connection, `FETCH 1:${Math.min(exists, mostMessages)} (UID)`, 'UID', ({ uid }) => {
    uids.push(uid)
  })
  return uids.sort((a, b) => a - b)
}
