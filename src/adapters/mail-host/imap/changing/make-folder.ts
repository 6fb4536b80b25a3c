import { invalid } from '#/errors.ts'
import { noSuchFolder } from '#/mail/folder-names.ts'
import { CommandRefused, unlessRefused } from '../client/errors.ts'
import { mailbox } from '../client/mailbox-name.ts'
import type { ImapSession } from '../client/session.ts'
import { type Layout, makeFolder } from '../folders/layout.ts'
import { numbers } from '../reading/list.ts'
import { move } from './change.ts'
import { folderRefused, refused } from './refused.ts'

/** False if it exists. */
export async function createFolder(session: ImapSession, layout: Layout, name: string): Promise<boolean> {
  const path = await layout.pathOf(session, name)
  if ((await foldersWithin(session, layout, path)).some((one) => one.path === path)) return false
  await makeFolder(session, path).catch(refuse)
  return true
}

/** The server renames the folders within it too (RFC 9051, section 6.3.6). Mail programs list subscribed folders. */
export async function renameFolder(session: ImapSession, layout: Layout, folder: string, to: string): Promise<void> {
  const path = await layout.pathOf(session, folder)
  const before = await foldersWithin(session, layout, path)
  if (!before.some((one) => one.path === path)) throw noSuchFolder(folder)
  const put = await layout.pathOf(session, to)
  await session.unselect()
  await session.connection.run([`RENAME ${mailbox(path)} ${mailbox(put)}`]).catch(refuse)
  for (const { path } of before) await session.connection.run([`UNSUBSCRIBE ${mailbox(path)}`]).catch(unlessRefused)
  const after = await foldersWithin(session, layout, put)
  for (const { path } of after) await session.connection.run([`SUBSCRIBE ${mailbox(path)}`]).catch(unlessRefused)
}

/** DELETE removes mail too, and a message may arrive just before it. So the folder is first renamed to a name under which
 *  nobody stores mail; `settled` resolves once all deliveries to the old name have ended. False, with all mail in place, if
 *  it has messages. */
export async function removeFolder(
  session: ImapSession,
  layout: Layout,
  name: string,
  settled: () => Promise<void>,
): Promise<boolean> {
  const path = await layout.pathOf(session, name)
  const there = await foldersWithin(session, layout, path)
  if (!there.some((one) => one.path === path)) throw noSuchFolder(name)
  const within = there.find((one) => one.path !== path)
  if (within) throw invalid('folder', `There is a folder ${JSON.stringify(within.name)} within it`)
  const put = layout.newPath()
  const { connection } = session
  if (((await session.select(path))?.exists ?? 0) > 0) return false
  await session.unselect()
  await connection.run([`RENAME ${mailbox(path)} ${mailbox(put)}`]).catch(refuse)
  try {
    await settled()
  } catch (error) {
    // If the old name exists again by now, deliveries under way find the other folder.
    await connection.run([`RENAME ${mailbox(put)} ${mailbox(path)}`]).catch(unlessRefused)
    throw error
  }
  const late = (await session.selectAnew(put))?.exists ? await numbers(session, 'SEARCH', 'ALL') : []
  if (late.length > 0) await move(session, late, path)
  await session.unselect()
  await connection.run([`DELETE ${mailbox(put)}`])
  if (late.length > 0) return false
  await connection.run([`UNSUBSCRIBE ${mailbox(path)}`]).catch(unlessRefused)
  return true
}

/** The folder with the path, if it is there, and those within it. */
async function foldersWithin(
  session: ImapSession,
  layout: Layout,
  path: string,
): Promise<{ name: string; path: string }[]> {
  const all = await layout.everyFolder(session)
  return all.filter((one) => one.path === path || one.path.startsWith(path + layout.delimiter))
}

/** Whatever the code of a refusal, it concerns the folder: nothing else was requested. */
function refuse(failure: unknown): never {
  throw failure instanceof CommandRefused && refused(failure)?.lasting !== 'temporary'
    ? folderRefused(failure)
    : failure
}
