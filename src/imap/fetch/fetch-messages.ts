import { oneAhead } from '#/base/event-loop/one-ahead.ts'
import type { FolderRef } from '#/mail/store/folders.ts'
import { storeFlags } from '#/mail/store/store-flags.ts'
import { ConversationNames } from '#/mail/threads/message-ids.ts'
import type { OpenFolder } from '../selected/open-folder.ts'
import type { Session } from '../session/session.ts'
import { type Content, type Extent, readContents } from './contents.ts'
import { extentOf } from './extent.ts'
import { areOfFlags, type FlagsOfRange, flagResponses, flagsAtOnce, readFlags } from './flag-answers.ts'
import type { FetchItem } from './items.ts'
import { FolderTexts, isStructural } from './known-texts.ts'
import { rowResponse, writeMessage } from './message-answer.ts'
import { MessageSource, type Store } from './message-source.ts'
import { ResponseWriter } from './response-writer.ts'
import { type Row, readRows, rowOf } from './rows.ts'

/** Messages whose rows are read at once. */
const rowsAtOnce = 1_000
/** Octets that are in memory at once, whatever is asked for. */
const mostBytes = 1 << 20

/** What became of a FETCH. */
export interface Fetched {
  /** A message was gone. */
  readonly lacksMessages: boolean
  /** A part was left out whose encoding nobody knows. */
  readonly lacksParts: boolean
}

interface Read {
  readonly row: Row
  readonly content?: Content
}

/** Writes these items of the messages with these ascending uids, which come some at a time, and marks messages as read where an item
 *  says so. Whatever is asked for, little of it is in memory at once. */
export async function fetchMessages(
  session: Session,
  selected: OpenFolder,
  uids: AsyncIterable<readonly number[]>,
  items: readonly FetchItem[],
): Promise<Fetched> {
  return await session.atWork(async () => {
    using _memory = await session.reserve(mostBytes)
    const fetch = new Fetch(session, selected, items)
    if (areOfFlags(items)) await fetch.flags(uids)
    else for await (const some of uids) await fetch.messages(some)
    await fetch.end()
    return fetch
  })
}

/** How many messages of which these items are asked for are read at once. */
export function messagesAtOnce(items: readonly FetchItem[]): number {
  return areOfFlags(items) ? flagsAtOnce : rowsAtOnce
}

class Fetch implements Fetched {
  lacksMessages = false
  lacksParts = false
  readonly #session: Session
  readonly #selected: OpenFolder
  readonly #items: readonly FetchItem[]
  readonly #folder: FolderRef
  readonly #store: Store
  readonly #extent: Extent | undefined
  readonly #withOthers: boolean
  readonly #marksSeen: boolean
  readonly #writer: ResponseWriter
  readonly #texts: FolderTexts
  /** Nothing is told but what the row says and what may be known. */
  readonly #mayBeKnown: boolean
  readonly #needsRow: boolean
  readonly #names: ConversationNames | undefined

  constructor(session: Session, selected: OpenFolder, items: readonly FetchItem[]) {
    const { parts, enabled, output } = session
    this.#session = session
    this.#selected = selected
    this.#items = items
    this.#folder = { mailbox: selected.mailbox, folderId: selected.folderId }
    this.#store = {
      ...{ db: parts.db, reader: parts.reader },
      ...{ organizationId: selected.mailbox.organizationId, signal: session.signal, ahead: parts.news.ahead },
    }
    this.#extent = extentOf(items)
    this.#withOthers = items.some((item) => typeof item !== 'string' || !beside.has(item))
    this.#marksSeen = !selected.isReadOnly && items.some((item) => typeof item !== 'string' && item.marksSeen)
    this.#writer = new ResponseWriter(output)
    const knowsGlobal = enabled.has('IMAP4rev2') || enabled.has('UTF8=ACCEPT')
    this.#texts = new FolderTexts(parts.news.texts, selected.folderId, knowsGlobal)
    this.#mayBeKnown = items.every((item) => typeof item === 'string' && item !== 'PREVIEW')
    this.#needsRow = !items.every(isOfContent) || this.#marksSeen
    this.#names = items.includes('THREADID') ? new ConversationNames(parts) : undefined
  }

  async messages(uids: readonly number[]): Promise<void> {
    for (let rest = uids; rest.length > 0; ) {
      const { read, until } = await this.#read(rest)
      const looked = rest.findIndex((uid) => uid > until)
      if (read.length < (looked < 0 ? rest.length : looked)) this.lacksMessages = true
      await this.#write(read)
      rest = looked < 0 ? [] : rest.slice(looked)
    }
  }

  /** The same for flags alone, the next being read while some are written. */
  async flags(uids: AsyncIterable<readonly number[]>): Promise<void> {
    const { db } = this.#session.parts
    const withModseqs = this.#items.includes('MODSEQ')
    const read = async (some: readonly number[]) => {
      const [from = 0, to = 0] = [some[0], some.at(-1)]
      const first = this.#firstOfRun(some)
      if (first === undefined) return { some, first: 0 }
      return { some, first, range: await readFlags(db, this.#folder, { from, to }, withModseqs) }
    }
    for await (const { some, first, range } of oneAhead(uids, read)) {
      // Else some are gone.
      if (range?.count === some.length) await this.#writeFlags(some, first, range)
      else for (let at = 0; at < some.length; at += rowsAtOnce) await this.messages(some.slice(at, at + rowsAtOnce))
    }
  }

  /** The sequence number of the first of these uids, if they are all that the client knows from the first to the last. */
  #firstOfRun(uids: readonly number[]): number | undefined {
    const { messages } = this.#selected
    const [first, last] = [uids[0], uids.at(-1)].map((uid = 0) => messages.sequenceOf(uid))
    return first !== undefined && last !== undefined && last - first + 1 === uids.length ? first : undefined
  }

  async #writeFlags(uids: readonly number[], first: number, flags: FlagsOfRange): Promise<void> {
    for (const text of flagResponses(this.#items, uids, first, flags)) {
      this.#writer.add(text)
      if (this.#writer.isFull) await this.#writer.flush()
    }
  }

  async end(): Promise<void> {
    await this.#writer.flush()
  }

  async #read(uids: readonly number[]): Promise<{ read: Read[]; until: number }> {
    const { db } = this.#session.parts
    const isEnough = !this.#needsRow && this.#selected.isCurrent
    if (this.#extent && !this.#areKnown(uids)) {
      const [uid = 0, another] = uids
      const content = isEnough && another === undefined ? this.#store.ahead.contentOf(this.#name(uid)) : undefined
      if (content) return { read: [{ row: rowOf(uid), content }], until: uid }
      return readContents(db, this.#folder, uids, this.#extent)
    }
    const rows = isEnough ? uids.map(rowOf) : await readRows(db, this.#folder, uids, this.#withOthers)
    return { read: rows.map((row) => ({ row })), until: uids.at(-1) ?? 0 }
  }

  /** Of a message of which so much was read. */
  #name(uid: number): string {
    return [this.#folder.folderId, uid, this.#extent?.head, this.#extent?.structure].join(' ')
  }

  /** Whether the texts of these messages need not be made. */
  #areKnown(uids: readonly number[]): boolean {
    if (!this.#mayBeKnown) return false
    const items = this.#items.filter((item) => typeof item === 'string').filter(isStructural)
    return uids.every((uid) => items.every((item) => this.#texts.find(uid, item) !== undefined))
  }

  async #write(read: readonly Read[]): Promise<void> {
    const marked = this.#marksSeen ? await this.#markSeen(read) : undefined
    const threads = await this.#threadIds(read)
    for (const { row: before, content } of read) {
      const sequence = this.#selected.messages.sequenceOf(before.uid)
      const now = marked?.rows.get(before.uid)
      if (sequence === undefined) continue
      const answering = {
        writer: this.#writer,
        items: now ? this.#withFlags() : this.#items,
        texts: this.#texts,
      }
      // The source ends with its message, since the structure of a small one may be large.
      const source = content && new MessageSource(this.#store, content, this.#name(before.uid))
      const message = {
        sequence,
        row: now ?? before,
        threadId: threads.get(before.uid),
        preview: content?.preview ?? '',
        source,
      }
      if (!content) {
        this.#writer.add(rowResponse(answering, message))
        if (this.#writer.isFull) await this.#writer.flush()
        await this.#writer.pause()
        continue
      }
      const isThere = await this.#writer.response(async () => {
        if (!(await writeMessage(answering, message))) this.lacksParts = true
      })
      if (!isThere) this.lacksMessages = true
    }
    if (this.#writer.isFull) await this.#writer.flush()
    if (marked) this.#selected.knows(marked.modseq)
  }

  /** Marks the unread of them as read, in one transaction, and answers how those that it changed are now. */
  async #markSeen(read: readonly Read[]): Promise<{ rows: Map<number, Row>; modseq: number } | undefined> {
    const unread = read.filter(({ row }) => !row.seen).map(({ row }) => row.uid)
    if (unread.length === 0) return undefined
    const { parts, user } = this.#session
    const { changed, modseq } = await parts.db
      .transaction()
      .execute((tx) => storeFlags(tx, this.#folder, unread, { seen: true }, user.by))
    if (changed.length === 0) return undefined
    const flags = new Map(changed.map((message) => [message.uid, message]))
    const rows = read.flatMap(({ row }) => {
      const now = flags.get(row.uid)
      return now ? [[row.uid, { ...row, ...now, modseq }] as const] : []
    })
    return { rows: new Map(rows), modseq }
  }

  /** The client is told what else has changed. */
  #withFlags(): FetchItem[] {
    const told: FetchItem[] = ['FLAGS', ...(this.#session.enabled.has('CONDSTORE') ? (['MODSEQ'] as const) : [])]
    const [first, ...others] = this.#items
    const lacking = told.filter((item) => !this.#items.includes(item))
    return first === 'UID' ? [first, ...lacking, ...others] : [...lacking, ...this.#items]
  }

  async #threadIds(read: readonly Read[]): Promise<Map<number, string>> {
    const found = new Map<number, string>()
    if (!this.#names) return found
    const { mailbox, folder } = this.#selected
    const places = read.map(({ row }) => ({ folder, uid: row.uid }))
    for (const [at, { conversation_id }] of (await this.#names.of(mailbox, places)).entries()) {
      const uid = places[at]?.uid
      if (uid !== undefined && conversation_id !== null) found.set(uid, conversation_id)
    }
    return found
  }
}

/** Whether what a message says decides about an item alone. */
function isOfContent(item: FetchItem): boolean {
  return typeof item !== 'string' || item === 'UID' || isStructural(item)
}

/** What is read with the flags. */
const beside: ReadonlySet<FetchItem> = new Set(['FLAGS', 'UID', 'MODSEQ', 'THREADID'])
