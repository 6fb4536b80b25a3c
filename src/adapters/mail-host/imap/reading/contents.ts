import { setImmediate as nextTurn } from 'node:timers/promises'
import QuickLRU from 'quick-lru'
import { headerFacts } from '#/mime/header/header-facts.ts'
import { readMessage } from '#/mime/message.ts'
import type { Applied, Summary } from '#/ports/mail-host.ts'
import { readFilteredBy } from '../changing/filtered-by.ts'
import { fetchUids } from '../client/fetch.ts'
import type { ImapSession } from '../client/session.ts'
import type { SelectedFolder } from '../folders/selected-folder.ts'
import { withAttachments } from './body-structure.ts'

/** Octets of a message that are read for lists. Nearly all messages fit; of those with large attachments this is the text
 *  and the headers of the attachments. */
const mostBytes = 96 << 10

/** Messages that are cached, about a KiB each, and messages read at once. */
const mostRemembered = 20_000
const readAtOnce = 50

/** The unchanging data of a message. */
type Content = Omit<Summary, 'uid' | 'folder' | keyof Flags> & {
  readonly filteredBy: readonly Applied[]
  /** Octets of the field in front of the message. */
  readonly inFront: number
}

export interface Found {
  readonly summary: Summary
  readonly filteredBy: readonly Applied[]
  readonly inFront: number
}

/** Reads messages for lists. The contents of a message are read once and cached; its flags are requested each time. */
export class Contents {
  readonly #remembered = new QuickLRU<string, Content>({ maxSize: mostRemembered })

  /** Those of the uids that are in the selected folder, in ascending order. */
  async of(session: ImapSession, folder: SelectedFolder, name: string, uids: readonly number[]): Promise<Found[]> {
    const flags = await readFlags(session, folder, uids)
    const present = [...flags.keys()].sort((a, b) => a - b)
    const keyOf = (uid: number) => `${session.login}\0${folder.path}\0${folder.selectedAt.uidValidity}\0${uid}`
    const contents = new Map<number, Content>()
    const missing = present.filter((uid) => {
      const known = this.#remembered.get(keyOf(uid))
      if (known) contents.set(uid, known)
      return !known
    })
    for (let at = 0; at < missing.length; at += readAtOnce) {
      for (const [uid, content] of await readContents(session, missing.slice(at, at + readAtOnce))) {
        contents.set(uid, content)
        this.#remembered.set(keyOf(uid), content)
      }
    }
    return present.flatMap((uid) => {
      const content = contents.get(uid)
      const marks = flags.get(uid)
      if (!content || !marks) return []
      const { modseq: _, ...shown } = marks
      const { filteredBy, inFront, ...rest } = content
      return { summary: { uid, folder: name, ...rest, ...shown }, filteredBy, inFront }
    })
  }
}

interface Flags {
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  readonly forwarded: boolean
  readonly keywords: readonly string[]
}

/** By uid, for those of the messages that exist. */
export async function readFlags(
  { connection }: ImapSession,
  folder: SelectedFolder,
  uids: readonly number[],
): Promise<Map<number, Flags & { readonly modseq: number }>> {
  const found = new Map<number, Flags & { readonly modseq: number }>()
  await fetchUids(connection, uids, 'FLAGS MODSEQ', 'FLAGS', (message, data) => {
    found.set(message.uid, { ...flagsIn(message.flags), modseq: message.modseq })
    // A server need not repeat flags that it has reported on this connection.
    if (message.modseq > folder.highestKnown) folder.notice(data)
  })
  return found
}

/** The keyword of a forwarded message (RFC 5788), in lower case. */
export const forwardedKeyword = '$forwarded'

/** As stored with the message. */
export function flagsIn(flags: readonly string[]): Flags {
  return {
    seen: flags.includes('\\seen'),
    flagged: flags.includes('\\flagged'),
    answered: flags.includes('\\answered'),
    forwarded: flags.includes(forwardedKeyword),
    keywords: flags.filter((flag) => !flag.startsWith('\\') && flag !== forwardedKeyword).sort(),
  }
}

async function readContents(session: ImapSession, uids: readonly number[]): Promise<Map<number, Content>> {
  const contents = new Map<number, Content>()
  const items = `RFC822.SIZE INTERNALDATE BODY.PEEK[]<0.${mostBytes}>`
  await fetchUids(session.connection, uids, items, 'BODY[]<0>', (message) => {
    const bytes = message.octets('BODY[]<0>')
    if (!bytes) return undefined
    contents.set(message.uid, contentOf(bytes, message.size, message.receivedAt))
    return nextTurn(true as const)
  })
  await lookBeyond(session, contents)
  return contents
}

/** Attachments may begin behind the part that was read. */
async function lookBeyond(session: ImapSession, contents: Map<number, Content>): Promise<void> {
  const cutOff = [...contents].filter(
    ([, { sizeBytes, inFront, hasAttachment }]) => sizeBytes + inFront > mostBytes && !hasAttachment,
  )
  const uids = cutOff.map(([uid]) => uid).sort((a, b) => a - b)
  const attached = await withAttachments(session, uids)
  for (const [uid, content] of cutOff) if (attached.has(uid)) contents.set(uid, { ...content, hasAttachment: true })
}

function contentOf(bytes: Buffer, size: number, receivedAt: number): Content {
  const { filteredBy, length: inFront } = readFilteredBy(bytes)
  const raw = bytes.subarray(inFront)
  const message = readMessage(raw)
  return {
    messageId: message.messageId,
    threadRoot: message.threadRoot,
    subject: message.subject,
    from: message.from,
    to: message.to.slice(0, mostRecipients),
    receivedAt: new Date(receivedAt),
    hasAttachment: message.hasAttachment,
    preview: message.preview,
    sizeBytes: size - inFront,
    facts: headerFacts(raw, message.headers),
    filteredBy,
    inFront,
  }
}

/** Recipients in To that lists show. */
const mostRecipients = 100
