import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessagePlace } from '#/http/schemas/cursor.ts'
import { claimedRoot, connected, type IndexedFolder, isLater, type Member, startOf } from './connected.ts'
import { isNewest, marking, marksOf, type Numbers } from './marks.ts'
import type { Indexed, Placed } from './placed.ts'

/** A conversation over all folders. */
export interface WholeConversation {
  /** Hash of the claimed root. */
  readonly root: Buffer
  /** Oldest first. */
  readonly messages: readonly Indexed[]
  /** The message that names the root. */
  readonly named: Indexed
  readonly unread: boolean
  /** Milliseconds since the epoch. */
  readonly lastReceivedAt: number
  /** Bare addresses in order of first appearance. */
  readonly participants: readonly string[]
}

export interface ConversationFilter {
  /** Those with a message in this folder, in the order of their newest there. */
  readonly folder?: string | undefined
  readonly unread?: boolean | undefined
  /** Their numbers. */
  readonly among?: ReadonlySet<number> | undefined
}

/** A position in a list: the newest message of a conversation in the list's folder. */
export type MailboxPlace = MessagePlace & Placed

/** A conversation, and its place in the list. */
export interface Listed {
  readonly conversation: WholeConversation
  readonly place: MailboxPlace
}

/** Where conversations are read from. Read it at once, since it keeps changing. */
export interface ConversationIndex {
  readonly folders: readonly IndexedFolder[]
  total(wanted: ConversationFilter): number
  /** From behind a place or from an offset, newest first. */
  page(wanted: ConversationFilter, at: { limit: number; from: MailboxPlace | number }): Listed[]
  /** The conversation of an id, by its hash: any id that one of its messages has or names. */
  find(hash: Buffer): WholeConversation | undefined
  /** Those of the messages that are present and unread. */
  unread(messages: readonly Placed[]): Placed[]
}

/** How long the event loop is held, in milliseconds. */
const turnLength = 5

/** The conversations of a mailbox: an index over those of its folders, which stores only some bits per row
 *  (docs/threads.md#how-are-they-found-across-folders). */
export class MailboxIndex implements ConversationIndex {
  /** In the order of lists. */
  readonly folders: readonly IndexedFolder[]

  readonly #numbers: Numbers

  constructor(folders: readonly IndexedFolder[], numbers: Numbers) {
    this.folders = folders
    this.#numbers = numbers
  }

  /** Updates the marks from the folders, in turns of the event loop. Answers whether it took several. */
  async refresh(): Promise<boolean> {
    let turns = 0
    let until = performance.now() + turnLength
    for (const _ of marking(this.folders, this.#numbers)) {
      if (performance.now() < until) continue
      await nextTurn()
      turns++
      until = performance.now() + turnLength
    }
    return turns > 0
  }

  total(wanted: ConversationFilter): number {
    if (wanted.among) return this.numbers(wanted).size
    const { mask, marks } = marksOf(wanted)
    return this.#within(wanted).reduce((sum, at) => sum + this.#folder(at).index.notes.countMarked(mask, marks), 0)
  }

  /** For all matching conversations. One pass over the rows of the folders: 2 ms for 100,000. */
  numbers(wanted: ConversationFilter): Set<number> {
    const found = new Set<number>()
    const { mask, marks } = marksOf(wanted)
    for (const at of this.#within(wanted)) {
      const { rows, notes } = this.#folder(at).index
      for (let row = 0; row < rows.count; row++) {
        if ((notes.marks(row) & mask) !== marks) continue
        const number = notes.conversation(row)
        if (wanted.among?.has(number) ?? true) found.add(number)
      }
    }
    return found
  }

  /** The newest messages of matching conversations that are not judged yet. */
  newestJudged(wanted: ConversationFilter, judgement: number): { message: Placed; number: number }[] {
    const numbers = this.numbers(wanted)
    const found: { message: Placed; number: number }[] = []
    for (const [folder, { index }] of this.folders.entries()) {
      for (let row = 0; row < index.rows.count; row++) {
        if (!isNewest(index, row) || index.notes.judgement(row) !== judgement) continue
        const number = index.notes.conversation(row)
        if (numbers.has(number)) found.push({ message: this.#placed({ folder, row }), number })
      }
    }
    return found
  }

  page(wanted: ConversationFilter, { limit, from }: { limit: number; from: MailboxPlace | number }): Listed[] {
    const page: Listed[] = []
    let toSkip = typeof from === 'number' ? from : 0
    for (const at of this.#newestFirst(wanted, typeof from === 'number' ? undefined : from)) {
      if (toSkip-- > 0) continue
      const place = { ...this.#placed(at), receivedAt: this.#rows(at.folder).receivedAt(at.row) }
      if (page.push({ conversation: this.#conversation(at), place }) === limit) break
    }
    return page
  }

  unread(messages: readonly Placed[]): Placed[] {
    return messages.filter(({ folder, uid }) => {
      const there = this.folders.find(({ name }) => name === folder)
      return there !== undefined && there.index.unread([uid]).length > 0
    })
  }

  /** The claimed roots of messages' conversations, of those in the folder and of the whole ones, by uid. Skips deleted
   *  messages. Undefined for a folder that the index does not have. */
  roots(folder: string, uids: readonly number[]): Map<number, { inFolder: Buffer; whole: Buffer }> | undefined {
    const at = this.folders.findIndex(({ name }) => name === folder)
    if (at < 0) return undefined
    const { index } = this.#folder(at)
    const named = new Map<number, Buffer>()
    const roots = new Map<number, { inFolder: Buffer; whole: Buffer }>()
    for (const [uid, inFolder] of index.roots(uids)) {
      const row = index.rows.find(uid) as number // it has a root
      const number = index.notes.conversation(row)
      const whole = named.get(number) ?? this.#conversation({ folder: at, row }).root
      named.set(number, whole)
      roots.set(uid, { inFolder, whole })
    }
    return roots
  }

  find(hash: Buffer): WholeConversation | undefined {
    const start = startOf(this.folders, hash)
    return start && this.#conversation(start)
  }

  /** The rows that represent conversations, each once. */
  *#newestFirst(wanted: ConversationFilter, behind: MailboxPlace | undefined): Generator<Member> {
    const { mask, marks } = marksOf(wanted)
    const next = (folder: number, from: number) => {
      const { rows, notes } = this.#folder(folder).index
      const fits = (row: number) =>
        (notes.marks(row) & mask) === marks && (wanted.among?.has(notes.conversation(row)) ?? true)
      let place = from
      while (place >= 0 && !fits(rows.rowAt(place))) place--
      return place < 0 ? [] : [{ folder, place, row: rows.rowAt(place) }]
    }
    let heads = this.#within(wanted).flatMap((folder) => next(folder, this.#placesBefore(folder, behind) - 1))
    while (heads.length > 0) {
      const latest = heads.reduce((one, other) => (isLater(this.folders, other, one) ? other : one))
      yield latest
      heads = heads.flatMap((head) => (head === latest ? next(head.folder, head.place - 1) : head))
    }
  }

  /** The number of a folder's messages before the place, oldest first. */
  #placesBefore(folder: number, place: MailboxPlace | undefined): number {
    const rows = this.#rows(folder)
    if (!place) return rows.count
    const { name } = this.#folder(folder)
    return rows.firstPlace((row) => {
      const difference = rows.receivedAt(row) - place.receivedAt
      if (difference !== 0) return difference > 0
      return name === place.folder ? rows.uid(row) >= place.uid : name > place.folder
    })
  }

  #conversation(start: Member): WholeConversation {
    const members = connected(this.folders, start).sort((a, b) => (isLater(this.folders, a, b) ? 1 : -1))
    const participants = new Set<string>()
    let isUnread = false
    for (const { folder, row } of members) {
      const { rows, senders } = this.#folder(folder).index
      participants.add(senders.text(rows.sender(row)))
      isUnread ||= !rows.isSeen(row)
    }
    participants.delete('')
    const last = members.at(-1) ?? start
    return {
      ...this.#root(members),
      messages: members.map((member) => this.#placed(member)),
      unread: isUnread,
      lastReceivedAt: this.#rows(last.folder).receivedAt(last.row),
      participants: [...participants],
    }
  }

  /** The claimed root of the message received first; of several at once, the lowest, since folders and uids may change. */
  #root(members: readonly Member[]): Pick<WholeConversation, 'root' | 'named'> {
    const receivedAt = ({ folder, row }: Member) => this.#rows(folder).receivedAt(row)
    let lowest: { member: Member; root: Buffer } | undefined
    for (const member of members) {
      if (lowest && receivedAt(member) > receivedAt(lowest.member)) break
      const root = claimedRoot(this.#folder(member.folder).index, member.row)
      if (!lowest || root.compare(lowest.root) < 0) lowest = { member, root }
    }
    if (!lowest) throw new Error('a conversation has messages')
    return { root: lowest.root, named: this.#placed(lowest.member) }
  }

  #placed({ folder, row }: Member): Indexed {
    return { folder: this.#folder(folder).name, ...this.#rows(folder).numbered(row) }
  }

  #within({ folder }: ConversationFilter): number[] {
    return [...this.folders.keys()].filter((at) => folder === undefined || this.#folder(at).name === folder)
  }

  #folder(folder: number): IndexedFolder {
    return this.folders[folder] as IndexedFolder
  }

  #rows(folder: number) {
    return this.#folder(folder).index.rows
  }
}
