import { invalid, Refusal } from '#/errors.ts'
import { isKeyword } from '#/labels/keyword.ts'
import { type AppendMessage, appendMessages, asKept } from '../imap/changing/append.ts'
import { lowestUids } from '../imap/changing/empty.ts'
import { readFilteredBy } from '../imap/changing/filtered-by.ts'
import { CommandRefused } from '../imap/client/errors.ts'
import { fetch, fetchUids } from '../imap/client/fetch.ts'
import type { ImapSession } from '../imap/client/session.ts'
import { uidSet } from '../imap/client/syntax.ts'
import { type Layout, makeFolder } from '../imap/folders/layout.ts'
import type { SelectedFolder } from '../imap/folders/selected-folder.ts'
import { flagsIn, forwardedKeyword } from '../imap/reading/contents.ts'
import { batchOf, type Carried, mostMessages, second, type Tally } from './carried.ts'

/** Flags without a column in the database, and the keywords that stand for them there. */
const flagOf = new Map([
  ['$draft', '\\Draft'],
  ['$deleted', '\\Deleted'],
])
const keywordOf = new Map([...flagOf].map(([keyword, flag]) => [flag.toLowerCase(), keyword]))

/** Selects a folder afresh, and creates it if needed. A folder whose name the server rejects gets another name. */
export async function folderFor(
  session: ImapSession,
  layout: Layout,
  name: string,
): Promise<{ folder: SelectedFolder; called: string }> {
  for (const called of [name, plainName(name)]) {
    try {
      return { folder: await selected(session, await layout.pathOf(session, called)), called }
    } catch (error) {
      const refused = error instanceof CommandRefused || (error instanceof Refusal && error.code === 'invalid_request')
      if (!refused || called !== name) throw error
    }
  }
  throw new Error('a name or the other was tried')
}

async function selected(session: ImapSession, path: string): Promise<SelectedFolder> {
  const there = await session.selectAnew(path)
  if (there) return there
  await makeFolder(session, path)
  const made = await session.selectAnew(path)
  if (made) return made
  throw new Error('The mail server created a folder, and cannot select it')
}

/** A change that any server accepts: one step, without marks. */
function plainName(name: string): string {
  return `Folder ${name.replace(/[^\p{L}\p{N} _-]/gu, '_')}`
}

/** Stores those of the messages that are missing among the folder's uids from `uidNext`. Then all are there, and each was
 *  read back with its octets, date, flags and keywords. @throws Error if the server stores anything else than it was given */
export async function store(
  session: ImapSession,
  folder: SelectedFolder,
  uidNext: number,
  messages: readonly Carried[],
  { perhapsThere }: { perhapsThere: boolean },
): Promise<void> {
  const appended = messages.map(toAppend)
  for (const { keywords } of appended) assertKeeps(folder, keywords)
  const before = perhapsThere ? await found(session, folder.path, uidNext, appended) : new Map<AppendMessage, Found>()
  const lacking = appended.filter((one) => !before.has(one))
  if (lacking.length > 0) await appendMessages(session, folder.path, lacking)
  const there = await found(session, folder.path, uidNext, appended)
  for (const one of appended) {
    const { uid, flags } = there.get(one) ?? {}
    if (uid === undefined || flags === undefined)
      throw new Error(`The mail server stored a message in ${folder.path} differently from what was sent`)
    // It may have been read meanwhile.
    if (flags !== flagsOf(one)) await session.connection.run([`UID STORE ${uid} FLAGS (${flagsOf(one)})`])
  }
}

function assertKeeps(folder: SelectedFolder, keywords: readonly string[]): void {
  const lost = keywords.find((keyword) => !keyword.startsWith('\\') && !folder.keeps(keyword))
  if (lost === undefined) return
  throw invalid('keywords', `The mail server accepts no new keywords in ${folder.path}, and does not have ${lost}`)
}

function toAppend(message: Carried): AppendMessage {
  const keywords = [
    ...(message.answered ? ['\\Answered'] : []),
    ...(message.forwarded ? [forwardedKeyword] : []),
    ...message.keywords.map((keyword) => flagOf.get(keyword) ?? keyword),
  ]
  return { ...message, keywords, messageId: null }
}

/** Flags and keywords in one order, for comparison. */
function flagsOf({ seen, flagged, keywords }: AppendMessage): string {
  return [...(seen ? ['\\seen'] : []), ...(flagged ? ['\\flagged'] : []), ...keywords.map((one) => one.toLowerCase())]
    .sort()
    .join(' ')
}

interface Found {
  readonly uid: number
  readonly flags: string
}

/** Those of the messages that the folder has from a uid on, each once, found by octets and date. */
async function found(
  session: ImapSession,
  path: string,
  from: number,
  wanted: readonly AppendMessage[],
): Promise<Map<AppendMessage, Found>> {
  const folder = await session.selectAnew(path)
  const there = new Map<AppendMessage, Found>()
  if (!folder || folder.exists === 0) return there
  const kept = await Promise.all(wanted.map(async (one) => ({ one, bytes: await asKept(one) })))
  const like = (await described(session, `${from}:*`)).filter(
    ({ uid, size, at }) =>
      uid >= from && kept.some(({ one, bytes }) => bytes.length === size && second(one.receivedAt) === second(at)),
  )
  for (const { uid, flags, at } of like) {
    const bytes = (await octets(session, [uid])).get(uid)
    const match = kept.find(
      ({ one, bytes: own }) => !there.has(one) && second(one.receivedAt) === second(at) && bytes?.equals(own),
    )
    if (match) there.set(match.one, { uid, flags: flags.sort().join(' ') })
  }
  return there
}

/** The first messages of the selected folder, as many as one batch has. */
export async function lowest(session: ImapSession, folder: SelectedFolder, tally: Tally): Promise<Carried[]> {
  const uids = (await lowestUids(session, folder.exists)).slice(0, mostMessages)
  if (uids.length === 0) return []
  const batch = batchOf(await described(session, uidSet(uids)))
  const bodies = await octets(
    session,
    batch.map(({ uid }) => uid),
  )
  return batch.flatMap(({ uid, flags, at }) => {
    const bytes = bodies.get(uid)
    if (!bytes) return []
    const { filteredBy, length } = readFilteredBy(bytes)
    const { keywords: own, ...marks } = flagsIn(flags)
    const keywords = [...own, ...flags.flatMap((flag) => keywordOf.get(flag) ?? [])]
    const storable = keywords.filter(isKeyword)
    tally.keywordsLost += keywords.length - storable.length
    return {
      uid,
      raw: bytes.subarray(length),
      receivedAt: at,
      ...marks,
      keywords: storable.sort(),
      filteredBy,
    }
  })
}

interface Described {
  readonly uid: number
  readonly size: number
  readonly at: Date
  /** In lower case. */
  readonly flags: string[]
}

async function described({ connection }: ImapSession, set: string): Promise<Described[]> {
  const all: Described[] = []
  const command = `UID FETCH ${set} (UID FLAGS INTERNALDATE RFC822.SIZE)`
  await fetch(connection, command, 'INTERNALDATE', ({ uid, size, receivedAt, flags }) => {
    all.push({ uid, size, at: new Date(receivedAt), flags: flags.filter((flag) => flag !== '\\recent') })
  })
  return all.sort((a, b) => a.uid - b.uid)
}

async function octets({ connection }: ImapSession, uids: readonly number[]): Promise<Map<number, Buffer>> {
  const bodies = new Map<number, Buffer>()
  await fetchUids(connection, uids, 'BODY.PEEK[]', 'BODY[]', (message) => {
    const bytes = message.octets('BODY[]')
    if (bytes) bodies.set(message.uid, bytes)
    return undefined
  })
  return bodies
}
