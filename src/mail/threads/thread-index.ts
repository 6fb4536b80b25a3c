import type { MessagePlace } from '#/http/schemas/cursor.ts'
import type { FolderChanges, ThreadRows } from '#/mail/store/changes.ts'
import { FolderRows, type Numbered } from './index/folder-rows.ts'
import { grown } from './index/grown.ts'
import { IdTable } from './index/id-table.ts'
import { NamedIds } from './index/named-ids.ts'
import { type MadeUpIds, numberIds } from './index/number-ids.ts'
import { RowNotes } from './index/row-notes.ts'
import { SenderTable } from './index/sender-table.ts'
import { Conversations } from './index/union-find.ts'

const mostTouched = 20_000

/** One conversation of the index. */
export interface Conversation {
  /** Hash of the claimed root. */
  readonly root: Buffer
  /** By received date, oldest first, then by uid. */
  readonly messages: readonly Numbered[]
  /** The message that names the root. */
  readonly lowest: Numbered
  readonly unread: boolean
  /** Milliseconds since the epoch. */
  readonly lastReceivedAt: number
  /** Bare addresses in order of first appearance. */
  readonly participants: readonly string[]
}

/** The conversations of a folder (docs/reference/threads.md): messages connected by ids. An id of an absent message is a node too.
 *  The owner applies changes of the folder. */
export class ThreadIndex {
  readonly #madeUp: MadeUpIds
  /** Rows that were added, deleted or changed since the mailbox's index read them. Undefined if it has not read any, or they
   *  became too many. */
  touched: number[] | undefined
  readonly ids: IdTable
  readonly rows: FolderRows
  readonly notes: RowNotes
  readonly senders = new SenderTable()
  readonly conversations: Conversations
  /** The number of present messages with a node's id. */
  #holders: Uint32Array
  readonly named: NamedIds

  /** `hash` gives a message without a Message-ID an id that no other message can name. */
  constructor(expected: number, uidValidity: number, hash: (name: string) => Buffer) {
    const nodes = expected + (expected >>> 2)
    this.#madeUp = { uidValidity, hash }
    this.ids = new IdTable(nodes)
    this.rows = new FolderRows(expected)
    this.notes = new RowNotes(expected)
    this.conversations = new Conversations(nodes, expected, this.rows)
    this.#holders = new Uint32Array(nodes)
    this.named = new NamedIds(expected)
  }

  /** Messages in the folder. */
  get messages(): number {
    return this.rows.live
  }

  /** Conversations in the folder. */
  get total(): number {
    return this.conversations.total
  }

  /** Memory in use, approximately. */
  get bytes(): number {
    const parts = [this.ids, this.rows, this.notes, this.senders, this.conversations, this.named]
    return parts.reduce((sum, { bytes }) => sum + bytes, 4096 + this.#holders.byteLength)
  }

  /** Deleted messages keep their rows and ids. True once there are so many that a rebuild pays. */
  get needsRebuild(): boolean {
    return this.rows.count - this.rows.live > 1000 + this.rows.live / 2
  }

  /** Whether a message with that id is present. */
  holds(node: number): boolean {
    return (this.#holders[node] as number) > 0
  }

  /** Applies changes: 1 to 2 µs for each new message, a third of one for each flag. Deletions take one pass over each conversation
   *  that they touch. */
  apply({ rows, flags, expunged }: FolderChanges): void {
    if (expunged.length > 0) this.#expunge(expunged)
    for (let index = 0; index < flags.uid.length; index++) {
      const row = this.rows.find(flags.uid[index] as number)
      if (row === undefined) continue
      this.rows.setSeen(row, flags.seen[index] === 1)
      this.rows.setNumber(row, flags.number[index] as number)
      this.#touch(row)
    }
    if (rows.uid.length > 0) this.#add(rows)
  }

  /** The conversation of an id, by its hash: any id that a message in the folder has or names. */
  find(hash: Buffer): Conversation | undefined {
    const node = this.ids.find(hash.readUInt32LE(0), hash.readUInt32LE(4))
    return node === undefined ? undefined : this.#conversation(node)
  }

  /** The claimed roots of the conversations of these messages, by uid. Skips deleted messages. */
  roots(uids: readonly number[]): Map<number, Buffer> {
    const named = new Map<number, Buffer>()
    const roots = new Map<number, Buffer>()
    for (const uid of uids) {
      const row = this.rows.find(uid)
      if (row === undefined || this.rows.isGone(row)) continue
      const set = this.conversations.root(this.rows.node(row))
      const root = named.get(set) ?? this.#claimedRoot(this.conversations.lowestRow(set))
      named.set(set, root)
      roots.set(uid, root)
    }
    return roots
  }

  /** Those of the messages that are present and unread. */
  unread(uids: readonly number[]): number[] {
    return uids.filter((uid) => {
      const row = this.rows.find(uid)
      return row !== undefined && !this.rows.isSeen(row)
    })
  }

  /** Conversations, the one with the newest message first: in the order of their heads. 10 to 20 µs for any page. */
  page(limit: number, offset: number): Conversation[] {
    const page: Conversation[] = []
    for (const row of this.rows.heads(offset)) {
      const conversation = this.#conversation(this.rows.node(row))
      if (conversation && page.push(conversation) === limit) break
    }
    return page
  }

  /** The number of conversations from that place on, newer ones: where the page behind it begins. */
  offsetBehind({ receivedAt, uid }: MessagePlace): number {
    const { rows } = this
    const place = rows.firstPlace((row) => {
      const difference = rows.receivedAt(row) - receivedAt
      return difference > 0 || (difference === 0 && rows.uid(row) >= uid)
    })
    return rows.headsFrom(place)
  }

  #conversation(node: number): Conversation | undefined {
    const rows = this.rows.sort(Uint32Array.from(this.conversations.rows(this.conversations.root(node))))
    const newest = rows.at(-1)
    if (newest === undefined) return undefined
    const senders = new Set<number>()
    let lowest = newest
    let unread = false
    for (const row of rows) {
      senders.add(this.rows.sender(row))
      lowest = Math.min(lowest, row)
      unread ||= !this.rows.isSeen(row)
    }
    return {
      root: this.#claimedRoot(lowest),
      messages: Array.from(rows, (row) => this.rows.numbered(row)),
      lowest: this.rows.numbered(lowest),
      unread,
      lastReceivedAt: this.rows.receivedAt(newest),
      participants: Array.from(senders, (sender) => this.senders.text(sender)).filter((text) => text !== ''),
    }
  }

  /** The first strong id of the row, else its own. */
  #claimedRoot(row: number): Buffer {
    return this.ids.bytesOf(this.named.firstStrong(row) ?? this.rows.node(row))
  }

  #touch(row: number): void {
    if (this.touched?.push(row) === mostTouched) this.touched = undefined
  }

  #add(rows: ThreadRows): void {
    const first = this.rows.add(rows)
    this.notes.reserve(this.rows.count)
    numberIds(this, rows, first, this.#madeUp)
    this.#holders = grown(this.#holders, this.ids.count)
    this.conversations.reserve(this.ids.count, this.rows.count)
    for (let row = first; row < this.rows.count; row++) {
      this.#arrive(row)
      this.#touch(row)
    }
  }

  #arrive(row: number): void {
    const node = this.rows.node(row)
    const others = this.#holders[node] as number
    this.#holders[node] = others + 1
    this.#join(row)
    if (others > 0) return
    for (const waiting of this.named.weaklyNaming(node)) {
      if (!this.rows.isGone(waiting)) this.conversations.connect(node, this.rows.node(waiting))
    }
  }

  /** Adds a row to the conversation of its ids, and merges conversations that they connect. */
  #join(row: number): void {
    const node = this.rows.node(row)
    this.conversations.add(row, node)
    const end = this.named.end(row)
    for (let place = this.named.start(row); place < end; place++) {
      const target = this.named.node(place)
      if (!this.named.isWeak(place) || (this.#holders[target] as number) > 0) this.conversations.connect(node, target)
    }
  }

  /** Removes messages: their conversations are dissolved, and built again from the remaining messages. */
  #expunge(uids: Uint32Array): void {
    const roots = new Set<number>()
    for (const uid of uids) {
      const row = this.rows.find(uid)
      if (row === undefined) continue
      const node = this.rows.node(row)
      this.rows.setGone(row)
      this.notes.setMarks(row, 0)
      this.#touch(row)
      this.#holders[node] = (this.#holders[node] as number) - 1
      roots.add(this.conversations.root(node))
    }
    for (const root of roots) {
      const rows = this.conversations.rows(root)
      this.conversations.dissolve(root, this.#nodesOf(root, rows))
      for (const row of rows) if (!this.rows.isGone(row)) this.#join(row)
    }
  }

  /** The nodes of a set, some of them several times: only rows connect nodes, so a row names each of them. */
  #nodesOf(root: number, rows: readonly number[]): number[] {
    const nodes: number[] = []
    for (const row of rows) {
      nodes.push(this.rows.node(row))
      const end = this.named.end(row)
      for (let place = this.named.start(row); place < end; place++) {
        const node = this.named.node(place)
        if (this.conversations.root(node) === root) nodes.push(node)
      }
    }
    return nodes
  }
}
