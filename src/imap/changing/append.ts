import { appendGiven, type Given, replaceGiven } from '#/mail/store/append-given.ts'
import { appendOne, takesOneStatement } from '#/mail/store/append-one.ts'
import { No } from '../answers.ts'
import { folderNamed } from '../folders/named.ts'
import type { Handler, Session } from '../session/session.ts'
import { rangesOf, sequenceSet, statusLine } from '../wire/format.ts'
import { type Appended, givenMessage, readAppended } from './appended.ts'
import { changeable, roomNamed } from './target.ts'

/** APPEND (RFC 9051, section 6.3.12), of one message or several (RFC 3502): all are stored in one transaction, or none. */
export const append: Handler = async (session, { args }) => {
  args.space()
  const name = args.mailbox()
  const appended: Appended[] = []
  do appended.push(readAppended(args))
  while (!args.isAtEnd())
  const { folderId, uids } = (await storeAtOnce(session, name, appended)) ?? (await storeAll(session, name, appended))
  return { text: 'Append completed', code: `APPENDUID ${folderId} ${sequenceSet(rangesOf(uids))}` }
}

interface Stored {
  readonly folderId: number
  readonly uids: readonly number[]
}

/** Most are stored by one statement, since whoever copies mail waits for each message. Undefined if it takes more, or cannot be. */
async function storeAtOnce(session: Session, name: string, appended: readonly Appended[]): Promise<Stored | undefined> {
  const [one] = appended
  if (!one || appended.length > 1) return undefined
  const { mailbox, folder, level } = await folderNamed(session, name, 'change')
  if (!takesOneStatement(folder, one.bytes)) return undefined
  const { user } = session
  const { db, idKey } = session.parts
  const isPrivate = level === 'own' && user.isPrivate
  const message = await givenMessage(session, one, { isPrivate })
  const stored = await appendOne(db, idKey, { mailbox, folder, isPrivate }, message, user.by)
  return stored && { folderId: stored.folderId, uids: [stored.uid] }
}

/** Says what is wrong, if something is. */
async function storeAll(session: Session, name: string, appended: readonly Appended[]): Promise<Stored> {
  const target = await roomNamed(session, name)
  const messages: Given[] = []
  for (const one of appended) messages.push(await givenMessage(session, one, target))
  const { db, idKey } = session.parts
  const uids = await db.transaction().execute((tx) => appendGiven(tx, idKey, target, messages, session.user.by))
  return { folderId: target.folderId, uids }
}

/** REPLACE and UID REPLACE (RFC 8508): APPEND and the expunge of another message in one transaction. The uid is told before the expunge, which
 *  is told after the command, as with MOVE. */
export const replace: Handler = async (session, { args, name }) => {
  const selected = changeable(session)
  args.space()
  const byUid = name === 'UID REPLACE'
  const { messages } = selected
  const number = !byUid && args.take('*') ? messages.count : args.nzNumber()
  const uid = byUid ? number : messages.uidAt(number)
  args.space()
  const targetName = args.mailbox()
  const appended = readAppended(args)
  args.end()
  if (uid === undefined || messages.sequenceOf(uid) === undefined) throw new No('No such message', 'NONEXISTENT')
  const target = await roomNamed(session, targetName)
  const message = await givenMessage(session, appended, target)
  const { db, idKey } = session.parts
  const { mailbox, folderId } = selected
  const now = await db
    .transaction()
    .execute((tx) => replaceGiven(tx, idKey, { mailbox, folderId, uid }, target, message, session.user.by))
  if (now === undefined) throw new No('The message no longer exists', 'EXPUNGEISSUED')
  await session.output.write(statusLine('*', 'OK', 'Replaced', `APPENDUID ${target.folderId} ${now}`))
  return { text: 'Replace completed' }
}
