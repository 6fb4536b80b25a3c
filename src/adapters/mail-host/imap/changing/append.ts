import { collected, inTurns } from '#/event-loop/pieces.ts'
import type { Applied } from '#/ports/mail-host.ts'
import { type Command, timeouts } from '../client/connection.ts'
import { CommandRefused } from '../client/errors.ts'
import { fetchUids } from '../client/fetch.ts'
import { mailbox } from '../client/mailbox-name.ts'
import { bytesOf, type Status } from '../client/response.ts'
import type { ImapSession } from '../client/session.ts'
import { dateTime, day, numbersIn, quoted } from '../client/syntax.ts'
import { makeFolder } from '../folders/layout.ts'
import { numbers } from '../reading/list.ts'
import { filteredByField } from './filtered-by.ts'

/** A message to append (RFC 3502 calls it an append-message). */
export interface AppendMessage {
  readonly raw: Buffer
  /** As in its header; null without one. */
  readonly messageId: string | null
  readonly receivedAt: Date
  readonly seen: boolean
  readonly flagged: boolean
  readonly draft?: true
  /** In lower case; atoms. */
  readonly keywords: readonly string[]
  readonly filteredBy: readonly Applied[]
}

/** Appends messages to a folder, in order, and creates the folder if needed. With MULTIAPPEND (RFC 3502) the server stores
 *  all or none. Answers their uids, or null if the server does not report them (RFC 4315). */
export async function appendMessages(
  session: ImapSession,
  path: string,
  messages: readonly AppendMessage[],
): Promise<(number | null)[]> {
  const { connection } = session
  const parts = await Promise.all(messages.map(partsOf))
  const runs = connection.can('MULTIAPPEND') ? [parts.flat()] : parts
  const uids: number[] = []
  for (const run of runs) {
    const append = () => connection.run([`APPEND ${mailbox(path)}`, ...run], { timeout: timeouts.wholeFolder })
    try {
      uids.push(...appended(await append()))
    } catch (error) {
      if (!(error instanceof CommandRefused && error.code === 'TRYCREATE')) throw error
      await makeFolder(session, path)
      uids.push(...appended(await append()))
    }
  }
  return messages.map((_, at) => (uids.length === messages.length ? (uids[at] ?? null) : null))
}

function appended({ code: [name, , uids] }: Pick<Status, 'code'>): number[] {
  if (name !== 'APPENDUID') return []
  return numbersIn(bytesOf(uids)?.toString('latin1') ?? '', 1_000_000) ?? []
}

async function partsOf(message: AppendMessage): Promise<Command> {
  const { receivedAt, seen, flagged, draft, keywords } = message
  const system = [...(seen ? ['\\Seen'] : []), ...(flagged ? ['\\Flagged'] : []), ...(draft ? ['\\Draft'] : [])]
  const flags = [...system, ...keywords]
  return [` (${flags.join(' ')}) ${dateTime(receivedAt)} `, await asKept(message)]
}

/** The octets that are sent to the server. */
export async function asKept({ raw, filteredBy }: Pick<AppendMessage, 'raw' | 'filteredBy'>): Promise<Buffer> {
  const bytes = await asLiteral(raw)
  return filteredBy.length > 0 ? Buffer.concat([filteredByField(filteredBy), bytes]) : bytes
}

/** A literal cannot contain NUL, nor can a message be empty (RFC 9051, section 9). NUL becomes 0x80, as Dovecot does. */
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

/** The uid of a message if it is in the folder already, which is unknown after a lost reply to APPEND. Finds candidates by
 *  Message-ID, else by day and size, and compares bytes: other messages may be alike in all else. */
export async function uidOf(session: ImapSession, path: string, message: AppendMessage): Promise<number | undefined> {
  if (!(await session.select(path))) return undefined
  const { messageId, receivedAt } = message
  const kept = await asKept(message)
  const size = kept.length
  const named =
    messageId !== null && isSearchable(messageId)
      ? `HEADER MESSAGE-ID ${quoted(messageId)}`
      : `${around(receivedAt)} LARGER ${size - 1} SMALLER ${size + 1}`
  const uids = await numbers(session, 'SEARCH', named)
  const like = await ofSecondAndSize(session, uids, Math.floor(receivedAt.getTime() / 1_000), size)
  for (const uid of like) if ((await bytesAt(session, uid))?.equals(kept)) return uid
  return undefined
}

/** Whether the folder has a message with that id, stored by any program. */
export async function isNamed(session: ImapSession, path: string, { messageId }: AppendMessage): Promise<boolean> {
  if (messageId === null || !(await session.select(path))) return false
  return (await uidsNamed(session, messageId)).length > 0
}

/** The messages with that id in the selected folder, in ascending order. */
export async function uidsNamed(session: ImapSession, messageId: string): Promise<number[]> {
  if (!isSearchable(messageId)) return []
  return (await numbers(session, 'SEARCH', `HEADER MESSAGE-ID ${quoted(messageId)}`)).sort((a, b) => a - b)
}

/** Whether SEARCH accepts the text for a header. */
export function isSearchable(id: string): boolean {
  return /^[\x21-\x7e]+$/.test(id)
}

const aDay = 86_400_000

/** A range that includes its day in any time zone of the server. */
function around(at: Date): string {
  const [since, before] = [new Date(at.getTime() - aDay), new Date(at.getTime() + 2 * aDay)]
  return `SINCE ${day(since)} BEFORE ${day(before)}`
}

async function ofSecondAndSize(
  { connection }: ImapSession,
  uids: readonly number[],
  second: number,
  size: number,
): Promise<number[]> {
  const found: number[] = []
  await fetchUids(connection, uids, 'INTERNALDATE RFC822.SIZE', 'INTERNALDATE', (message) => {
    if (message.receivedAt / 1_000 === second && message.size === size) found.push(message.uid)
    return undefined
  })
  return found
}

async function bytesAt({ connection }: ImapSession, uid: number): Promise<Buffer | undefined> {
  let bytes: Buffer | undefined
  await fetchUids(connection, [uid], 'BODY.PEEK[]', 'BODY[]', (message) => {
    bytes ??= message.octets('BODY[]')
    return undefined
  })
  return bytes
}
