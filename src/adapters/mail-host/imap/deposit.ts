import { collected, inTurns } from '#/bytes.ts'
import type { Applied } from '#/ports/mail-host.ts'
import { type Command, patience } from './connection.ts'
import { filteredByField } from './filtered-by.ts'
import { makeFolder } from './layout.ts'
import { numbers } from './list.ts'
import { attributes, bytesOf, type Data, numberOf } from './response.ts'
import type { Session } from './session.ts'
import { CommandRefused } from './trouble.ts'
import { dateTime, day, quoted, readDateTime, uidSet } from './words.ts'

/** A message on its way into a folder. */
export interface Deposit {
  readonly raw: Buffer
  /** As in its header; null where it bears none. */
  readonly messageId: string | null
  readonly receivedAt: Date
  readonly seen: boolean
  readonly flagged: boolean
  /** In lower case, atoms. */
  readonly keywords: readonly string[]
  readonly filteredBy: readonly Applied[]
}

/** Appends messages to a folder, in their order, making it where it lacks: all or none of them where the server has
 *  MULTIAPPEND (RFC 3502). */
export async function deposit(session: Session, path: string, messages: readonly Deposit[]): Promise<void> {
  const { connection } = session
  const parts = await Promise.all(messages.map(partsOf))
  const runs = connection.can('MULTIAPPEND') ? [parts.flat()] : parts
  for (const run of runs) {
    const append = () => connection.run([`APPEND ${quoted(path)}`, ...run], undefined, patience.whole)
    try {
      await append()
    } catch (error) {
      if (!(error instanceof CommandRefused && error.code === 'TRYCREATE')) throw error
      await makeFolder(session, path)
      await append()
    }
  }
}

async function partsOf(message: Deposit): Promise<Command> {
  const { receivedAt, seen, flagged, keywords } = message
  const flags = [...(seen ? ['\\Seen'] : []), ...(flagged ? ['\\Flagged'] : []), ...keywords]
  return [` (${flags.join(' ')}) ${dateTime(receivedAt)} `, await asKept(message)]
}

/** The octets that the server is given. */
export async function asKept({ raw, filteredBy }: Pick<Deposit, 'raw' | 'filteredBy'>): Promise<Buffer> {
  const bytes = await asLiteral(raw)
  return filteredBy.length > 0 ? Buffer.concat([filteredByField(filteredBy), bytes]) : bytes
}

/** A literal cannot hold NUL, nor can a message be empty (RFC 9051, section 9): NUL becomes 0x80, as where Dovecot finds
 *  one. */
export async function asLiteral(raw: Buffer): Promise<Buffer> {
  const whole = raw.length > 0 ? raw : Buffer.from('\r\n')
  return whole.includes(0) ? await withoutNul(whole) : whole
}

function withoutNul(bytes: Buffer): Promise<Buffer> {
  const replaced = async function* () {
    for await (const piece of inTurns(bytes)) {
      const copy = Buffer.from(piece)
      for (let at = copy.indexOf(0); at >= 0; at = copy.indexOf(0, at + 1)) copy[at] = 0x80
      yield copy
    }
  }
  return collected(replaced(), bytes.length)
}

/** Whether a message is in the folder already: what a lost answer to an APPEND leaves unsaid. It is looked for by its
 *  Message-ID where it has one, else by day and size, and known by its bytes: others may be like it in all else. */
export async function isThere(session: Session, path: string, message: Deposit): Promise<boolean> {
  if (!(await session.select(path))) return false
  const { messageId, receivedAt } = message
  const kept = await asKept(message)
  const size = kept.length
  const named =
    messageId !== null && printable.test(messageId)
      ? `HEADER MESSAGE-ID ${quoted(messageId)}`
      : `${around(receivedAt)} LARGER ${size - 1} SMALLER ${size + 1}`
  const uids = await numbers(session, 'SEARCH', named)
  const like = await ofSecondAndSize(session, uids, Math.floor(receivedAt.getTime() / 1_000), size)
  for (const uid of like) if ((await bytesAt(session, uid))?.equals(kept)) return true
  return false
}

/** Whether the folder has a message of that id, whoever put it there. */
export async function isNamed(session: Session, path: string, { messageId }: Deposit): Promise<boolean> {
  if (messageId === null || !printable.test(messageId) || !(await session.select(path))) return false
  return (await numbers(session, 'SEARCH', `HEADER MESSAGE-ID ${quoted(messageId)}`)).length > 0
}

/** What can be looked for in a header. */
const printable = /^[\x21-\x7e]+$/

const aDay = 86_400_000

/** Its day, whatever time zone the server counts days in. */
function around(at: Date): string {
  const [since, before] = [new Date(at.getTime() - aDay), new Date(at.getTime() + 2 * aDay)]
  return `SINCE ${day(since)} BEFORE ${day(before)}`
}

async function ofSecondAndSize(
  { connection }: Session,
  uids: readonly number[],
  second: number,
  size: number,
): Promise<number[]> {
  const found: number[] = []
  if (uids.length === 0) return found
  await connection.run([`UID FETCH ${uidSet(uids)} (UID INTERNALDATE RFC822.SIZE)`], (data) => {
    if (data.name !== 'FETCH') return false
    const item = attributes(data)
    const date = bytesOf(item.get('INTERNALDATE'))
    const like = readDateTime(date) / 1_000 === second && numberOf(item.get('RFC822.SIZE')) === size
    if (like) found.push(numberOf(item.get('UID')))
    return date !== undefined
  })
  return found
}

async function bytesAt({ connection }: Session, uid: number): Promise<Buffer | undefined> {
  let bytes: Buffer | undefined
  const take = (data: Data) => {
    const found = data.name === 'FETCH' ? bytesOf(attributes(data).get('BODY[]')) : undefined
    bytes ??= found
    return found !== undefined
  }
  await connection.run([`UID FETCH ${uid} (UID BODY.PEEK[])`], take, patience.whole)
  return bytes
}
