import type { ThreadRows } from '#/ports/folder-changes.ts'

/** The growing columns of new messages. There are no objects for messages or ids: creating and collecting those would take
 *  longer than all other work on 100,000 messages. */
export class ThreadColumns {
  rows = 0
  #uid = new Uint32Array(256)
  #seen = new Uint8Array(256)
  #receivedAt = new Float64Array(256)
  /** Two words per message, zeros without an id. */
  #id = new Int32Array(512)
  readonly sender = new Column(new Uint8Array(4096))
  /** Two words per id. */
  readonly strong = new Column(new Int32Array(2048))
  readonly weak = new Column(new Int32Array(256))

  /** Begins a message. Data is added to it until the next one begins. */
  begin(uid: number, seen: boolean, receivedAt: number): void {
    const row = this.rows++
    if (row === this.#uid.length) {
      this.#uid = enlarged(this.#uid, 2 * row)
      this.#seen = enlarged(this.#seen, 2 * row)
      this.#receivedAt = enlarged(this.#receivedAt, 2 * row)
      this.#id = enlarged(this.#id, 4 * row)
    }
    this.#uid[row] = uid
    this.#seen[row] = seen ? 1 : 0
    this.#receivedAt[row] = receivedAt
    this.sender.begin(row)
    this.strong.begin(row)
    this.weak.begin(row)
  }

  /** The place of the message's own id. */
  get ownId(): { words: Int32Array; at: number } {
    return { words: this.#id, at: 2 * (this.rows - 1) }
  }

  /** Removes what was added to the message. */
  clear(): void {
    this.#id.fill(0, 2 * (this.rows - 1), 2 * this.rows)
    this.sender.clear()
    this.strong.clear()
    this.weak.clear()
  }

  /** Adds ids to those of a row. */
  addIds(row: number, strong: Int32Array<ArrayBuffer>, weak: Int32Array<ArrayBuffer>): void {
    this.strong.insert(row, this.rows - 1, strong)
    this.weak.insert(row, this.rows - 1, weak)
  }

  get uids(): Uint32Array {
    return this.#uid.subarray(0, this.rows)
  }

  all(): ThreadRows {
    const { rows, sender, strong, weak } = this
    return {
      uid: this.uids,
      seen: this.#seen.subarray(0, rows),
      receivedAt: this.#receivedAt.subarray(0, rows),
      id: Buffer.from(this.#id.buffer, 0, 8 * rows),
      sender: sender.all(),
      senderLength: sender.lengths(rows),
      strong: strong.all(),
      strongLength: strong.lengths(rows),
      weak: weak.all(),
      weakLength: weak.lengths(rows),
    }
  }
}

type Elements = Uint8Array<ArrayBuffer> | Int32Array<ArrayBuffer>

/** The bytes or words of all messages, concatenated. */
class Column<Of extends Elements = Elements> {
  elements: Of
  length = 0
  /** Where those of the current message begin. */
  start = 0
  #lengths = new Uint32Array(256)

  constructor(elements: Of) {
    this.elements = elements
  }

  begin(row: number): void {
    if (row > 0) this.#end(row - 1)
    if (row === this.#lengths.length) this.#lengths = enlarged(this.#lengths, 2 * row)
    this.start = this.length
  }

  /** Reserves space at the end and answers where it begins. */
  reserve(size: number): number {
    const at = this.length
    this.length += size
    if (this.length > this.elements.length) this.elements = enlarged(this.elements, 2 * this.length)
    return at
  }

  append(elements: Of): void {
    const at = this.reserve(elements.length)
    this.elements.set(elements, at)
  }

  clear(): void {
    this.length = this.start
  }

  /** Adds to a row; `last` is the row that was begun last. */
  insert(row: number, last: number, added: Of): void {
    let at = this.length
    if (row < last) {
      const before = this.#lengths.subarray(0, row + 1).reduce((sum, bytes) => sum + bytes, 0)
      at = before / this.elements.BYTES_PER_ELEMENT
      this.#lengths[row] = (this.#lengths[row] as number) + added.byteLength
      this.start += added.length
    }
    const end = this.reserve(added.length)
    this.elements.copyWithin(at + added.length, at, end)
    this.elements.set(added, at)
  }

  all(): Buffer {
    return Buffer.from(this.elements.buffer, 0, this.length * this.elements.BYTES_PER_ELEMENT)
  }

  /** In bytes. */
  lengths(rows: number): Uint32Array {
    if (rows > 0) this.#end(rows - 1)
    return this.#lengths.subarray(0, rows)
  }

  #end(row: number): void {
    this.#lengths[row] = (this.length - this.start) * this.elements.BYTES_PER_ELEMENT
  }
}

function enlarged<T extends Elements | Uint32Array | Float64Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(length)
  larger.set(array)
  return larger
}
