import { setImmediate as turn } from 'node:timers/promises'
import QuickLRU from 'quick-lru'
import { readMessage } from '#/mime/message.ts'
import type { Applied, Summary } from '#/ports/mail-host.ts'
import { withAttachments } from './body-structure.ts'
import { patience } from './connection.ts'
import { modseqOf } from './delta.ts'
import { readFilteredBy } from './filtered-by.ts'
import { atomsOf, attributes, bytesOf, type Data, numberOf, type Token } from './response.ts'
import type { SelectedFolder } from './selected-folder.ts'
import type { Session } from './session.ts'
import { readDateTime, uidSet } from './words.ts'

/** How much of a message is read for what lists show of it: nearly all messages whole, of those with large attachments the
 *  text and the headers of what is attached. */
const mostBytes = 96 << 10

/** Messages remembered, a KiB or so each, and read at once. */
const mostRemembered = 20_000
const readAtOnce = 50

/** What never changes of a message. */
type Content = Omit<Summary, 'uid' | 'folder' | 'seen' | 'flagged' | 'keywords'> & {
  readonly filteredBy: readonly Applied[]
  /** Of the field in front of the message. */
  readonly inFront: number
}

export interface Found {
  readonly summary: Summary
  readonly filteredBy: readonly Applied[]
  readonly inFront: number
}

/** Reads messages as lists show them. What a message says is read once and remembered; its flags are asked for each time. */
export class Contents {
  readonly #remembered = new QuickLRU<string, Content>({ maxSize: mostRemembered })

  /** Those of the uids that are in the folder that is selected, in ascending order. */
  async of(session: Session, folder: SelectedFolder, name: string, uids: readonly number[]): Promise<Found[]> {
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
      const shown = flags.get(uid)
      if (!content || !shown) return []
      const { filteredBy, inFront, ...rest } = content
      return { summary: { uid, folder: name, ...rest, ...shown }, filteredBy, inFront }
    })
  }
}

interface Flags {
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: readonly string[]
}

/** By uid, of those that are there. */
export async function readFlags(
  { connection }: Session,
  folder: SelectedFolder,
  uids: readonly number[],
): Promise<Map<number, Flags>> {
  const found = new Map<number, Flags>()
  if (uids.length === 0) return found
  await connection.run([`UID FETCH ${uidSet(uids)} (UID FLAGS MODSEQ)`], (data) => {
    if (data.name !== 'FETCH') return false
    const item = attributes(data)
    const uid = numberOf(item.get('UID'))
    if (uid > 0) found.set(uid, flagsIn(item.get('FLAGS')))
    // A server need not say again, to whoever follows the folder, what it has said here.
    if (modseqOf(item) > folder.highestKnown) folder.notice(data)
    return true
  })
  return found
}

function flagsIn(token: Token | undefined): Flags {
  const flags = atomsOf(token).map((flag) => flag.toLowerCase())
  return {
    seen: flags.includes('\\seen'),
    flagged: flags.includes('\\flagged'),
    keywords: flags.filter((flag) => !flag.startsWith('\\')).sort(),
  }
}

async function readContents(session: Session, uids: readonly number[]): Promise<Map<number, Content>> {
  const contents = new Map<number, Content>()
  const take = (data: Data) => {
    if (data.name !== 'FETCH') return false
    const item = attributes(data)
    const bytes = bytesOf(item.get('BODY[]<0>'))
    const uid = numberOf(item.get('UID'))
    if (!bytes || uid === 0) return false
    const size = numberOf(item.get('RFC822.SIZE'))
    contents.set(uid, contentOf(bytes, size, readDateTime(bytesOf(item.get('INTERNALDATE')))))
    return turn(true as const)
  }
  const items = `UID RFC822.SIZE INTERNALDATE BODY.PEEK[]<0.${mostBytes}>`
  await session.connection.run([`UID FETCH ${uidSet(uids)} (${items})`], take, patience.whole)
  await lookBeyond(session, contents)
  return contents
}

/** What is attached may begin where we no longer read. */
async function lookBeyond(session: Session, contents: Map<number, Content>): Promise<void> {
  const cutOff = [...contents].filter(
    ([, { sizeBytes, inFront, hasAttachment }]) => sizeBytes + inFront > mostBytes && !hasAttachment,
  )
  const uids = cutOff.map(([uid]) => uid).sort((a, b) => a - b)
  const attached = await withAttachments(session, uids)
  for (const [uid, content] of cutOff) if (attached.has(uid)) contents.set(uid, { ...content, hasAttachment: true })
}

function contentOf(bytes: Buffer, size: number, receivedAt: number): Content {
  const { filteredBy, length: inFront } = readFilteredBy(bytes)
  const message = readMessage(bytes.subarray(inFront))
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
    filteredBy,
    inFront,
  }
}

/** Of To, as far as lists show it. */
const mostRecipients = 100
