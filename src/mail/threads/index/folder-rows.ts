import type { ThreadRows } from '#/mail/store/changes.ts'
import { grown } from './grown.ts'

const seen = 1
const gone = 2
const head = 4
const nameless = 8

/** A message of the folder, with its own number (src/base/text/message-id.ts). */
export type Numbered = { readonly uid: number; readonly number: number }

/** Places in the order by received date whose heads are counted together, as a power of two. */
const blockBits = 10

/** The messages of a folder as rows, numbered by uid, with an index by received date. A deleted message keeps its row. Some rows
 *  are heads, which can be listed from any offset. Takes 37 bytes a message, without senders' texts and ids. */
export class FolderRows {
  /** Rows ever added. */
  count = 0
  /** Rows of messages that are not deleted. */
  live = 0
  #uid: Uint32Array
  #number: Float64Array
  #receivedAt: Float64Array
  #state: Uint8Array
  #sender: Uint32Array
  /** The id node of the message itself. */
  #node: Uint32Array
  /** Rows by received date, oldest first. */
  #order: Uint32Array
  /** Where in that order each row is. */
  #place: Uint32Array
  /** How many heads there are in each block of places. */
  #heads: Uint32Array

  constructor(expected: number) {
    const room = expected + (expected >>> 5) + 16
    this.#uid = new Uint32Array(room)
    this.#number = new Float64Array(room)
    this.#receivedAt = new Float64Array(room)
    this.#state = new Uint8Array(room)
    this.#sender = new Uint32Array(room)
    this.#node = new Uint32Array(room)
    this.#order = new Uint32Array(room)
    this.#place = new Uint32Array(room)
    this.#heads = new Uint32Array((room >>> blockBits) + 1)
  }

  get bytes(): number {
    return 37 * this.#uid.length
  }

  /** Adds rows; `describe` sets their senders and nodes. Answers the number of the first one. */
  add({ uid, seen: read, number, receivedAt }: ThreadRows): number {
    const first = this.count
    this.#grow(first + uid.length)
    this.#uid.set(uid, first)
    this.#number.set(number, first)
    this.#receivedAt.set(receivedAt, first)
    for (let index = 0; index < uid.length; index++) this.#state[first + index] = read[index] ? seen : 0
    this.count += uid.length
    this.live += uid.length
    this.#arrange(first)
    return first
  }

  describe(row: number, sender: number, node: number, isNameless: boolean): void {
    if (isNameless) this.#state[row] = (this.#state[row] as number) | nameless
    this.#sender[row] = sender
    this.#node[row] = node
  }

  uid(row: number): number {
    return this.#uid[row] as number
  }

  numbered(row: number): Numbered {
    return { uid: this.uid(row), number: this.#number[row] as number }
  }

  setNumber(row: number, value: number): void {
    this.#number[row] = value
  }

  receivedAt(row: number): number {
    return this.#receivedAt[row] as number
  }

  sender(row: number): number {
    return this.#sender[row] as number
  }

  node(row: number): number {
    return this.#node[row] as number
  }

  isSeen(row: number): boolean {
    return ((this.#state[row] as number) & seen) > 0
  }

  isGone(row: number): boolean {
    return ((this.#state[row] as number) & gone) > 0
  }

  setSeen(row: number, value: boolean): void {
    this.#state[row] = ((this.#state[row] as number) & ~seen) | (value ? seen : 0)
  }

  /** Whether the message has no Message-ID. */
  isNameless(row: number): boolean {
    return ((this.#state[row] as number) & nameless) > 0
  }

  setGone(row: number): void {
    this.#state[row] = (this.#state[row] as number) | gone
    this.live--
  }

  /** The row with that uid, unless it is deleted. */
  find(uid: number): number | undefined {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#uid[middle] as number) < uid) low = middle + 1
      else high = middle
    }
    return low < this.count && this.#uid[low] === uid && !this.isGone(low) ? low : undefined
  }

  /** The row at a place in the order by received date, oldest first. */
  rowAt(place: number): number {
    return this.#order[place] as number
  }

  /** The first place in that order of which `isBehind` is true, as it is of all after it. */
  firstPlace(isBehind: (row: number) => boolean): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBehind(this.#order[middle] as number)) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Whether `a` was received after `b`; of two received at once, the higher uid. */
  isLater(a: number, b: number): boolean {
    const difference = (this.#receivedAt[a] as number) - (this.#receivedAt[b] as number)
    return difference > 0 || (difference === 0 && a > b)
  }

  setHead(row: number, value: boolean): void {
    const state = this.#state[row] as number
    if ((state & head) > 0 === value) return
    this.#state[row] = state ^ head
    this.#count(this.#place[row] as number, value ? 1 : -1)
  }

  /** The heads, the last received first, after the first `skipped`. */
  *heads(skipped: number): Generator<number> {
    let toSkip = skipped
    for (let block = (this.count - 1) >> blockBits; block >= 0; block--) {
      const heads = this.#heads[block] as number
      if (toSkip < heads) yield* this.#headsOf(block, toSkip)
      toSkip = Math.max(0, toSkip - heads)
    }
  }

  /** The number of heads from that place on, newer ones. */
  headsFrom(place: number): number {
    const first = place >> blockBits
    let heads = 0
    for (let block = (this.count - 1) >> blockBits; block > first; block--) heads += this.#heads[block] as number
    const end = Math.min(this.count, (first + 1) << blockBits)
    for (let at = place; at < end; at++)
      heads += ((this.#state[this.#order[at] as number] as number) & head) > 0 ? 1 : 0
    return heads
  }

  *#headsOf(block: number, skipped: number): Generator<number> {
    let toSkip = skipped
    for (let place = Math.min(this.count, (block + 1) << blockBits) - 1; place >= block << blockBits; place--) {
      const row = this.#order[place] as number
      if (((this.#state[row] as number) & head) > 0 && toSkip-- <= 0) yield row
    }
  }

  #count(place: number, heads: number): void {
    const block = place >>> blockBits
    this.#heads[block] = (this.#heads[block] as number) + heads
  }

  #put(row: number, place: number): void {
    this.#order[place] = row
    this.#place[row] = place
  }

  /** Sorts rows by received date, oldest first. */
  sort(rows: Uint32Array): Uint32Array {
    rows.sort() // By uid: native, and nearly always the order by date.
    return this.#isSorted(rows) ? rows : rows.sort((a, b) => (this.isLater(a, b) ? 1 : -1))
  }

  #isSorted(rows: Uint32Array): boolean {
    for (let index = 1; index < rows.length; index++) {
      if (!this.isLater(rows[index] as number, rows[index - 1] as number)) return false
    }
    return true
  }

  /** Merges the rows from `first` on into the order, from its end: only rows newer than the oldest of them move. */
  #arrange(first: number): void {
    const run = this.sort(new Uint32Array(this.count - first).map((_, index) => first + index))
    let place = this.count - 1
    let held = first - 1
    for (let index = run.length - 1; index >= 0; place--) {
      const row = run[index] as number
      const other = held < 0 ? row : (this.#order[held] as number)
      if (held >= 0 && this.isLater(other, row)) {
        this.#move(other, held, place)
        held--
      } else {
        this.#put(row, place)
        index--
      }
    }
  }

  #move(row: number, from: number, to: number): void {
    this.#put(row, to)
    if (((this.#state[row] as number) & head) === 0) return
    this.#count(from, -1)
    this.#count(to, 1)
  }

  #grow(needed: number): void {
    this.#uid = grown(this.#uid, needed)
    this.#number = grown(this.#number, needed)
    this.#receivedAt = grown(this.#receivedAt, needed)
    this.#state = grown(this.#state, needed)
    this.#sender = grown(this.#sender, needed)
    this.#node = grown(this.#node, needed)
    this.#order = grown(this.#order, needed)
    this.#place = grown(this.#place, needed)
    this.#heads = grown(this.#heads, (this.#order.length >>> blockBits) + 1)
  }
}
