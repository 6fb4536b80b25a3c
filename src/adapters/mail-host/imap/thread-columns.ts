import type { ThreadRows } from '#/ports/folder-changes.ts'

/** The columns of new messages as they grow. There is no object for a message, nor for any of its ids: to make and collect
 *  those takes longer than all else that is done with 100,000 messages. */
export class ThreadColumns {
  rows = 0
  #uid = new Uint32Array(256)
  #seen = new Uint8Array(256)
  #receivedAt = new Float64Array(256)
  /** Eight bytes a message, zeros where it has no id. */
  readonly id = new Bytes()
  readonly sender = new Column()
  readonly strong = new Column()
  readonly weak = new Column()

  /** Begins a message, to which is added until the next begins. */
  begin(uid: number, seen: boolean, receivedAt: number): void {
    const row = this.rows++
    if (row === this.#uid.length) {
      this.#uid = enlarged(this.#uid)
      this.#seen = enlarged(this.#seen)
      this.#receivedAt = enlarged(this.#receivedAt)
    }
    this.#uid[row] = uid
    this.#seen[row] = seen ? 1 : 0
    this.#receivedAt[row] = receivedAt
    const id = this.id.reserve(8)
    this.id.bytes.fill(0, id, id + 8)
    this.sender.begin(row)
    this.strong.begin(row)
    this.weak.begin(row)
  }

  /** Takes back what was added to the message. */
  clear(): void {
    this.id.bytes.fill(0, this.id.length - 8, this.id.length)
    this.sender.clear()
    this.strong.clear()
    this.weak.clear()
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
      id: this.id.all(),
      sender: sender.all(),
      senderLength: sender.lengths(rows),
      strong: strong.all(),
      strongLength: strong.lengths(rows),
      weak: weak.all(),
      weakLength: weak.lengths(rows),
    }
  }
}

/** Bytes that grow at their end. */
class Bytes {
  bytes = Buffer.allocUnsafe(4096)
  length = 0

  /** Makes room at the end, and says where it begins. */
  reserve(size: number): number {
    const at = this.length
    this.length += size
    if (this.length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(2 * this.length)
      this.bytes.copy(larger, 0, 0, at)
      this.bytes = larger
    }
    return at
  }

  append(bytes: Uint8Array): void {
    const at = this.reserve(bytes.length)
    this.bytes.set(bytes, at)
  }

  all(): Buffer {
    return this.bytes.subarray(0, this.length)
  }
}

/** What each message has of bytes, end to end. */
class Column extends Bytes {
  /** Where the message's own begin. */
  start = 0
  #lengths = new Uint32Array(256)

  begin(row: number): void {
    if (row > 0) this.#lengths[row - 1] = this.length - this.start
    if (row === this.#lengths.length) this.#lengths = enlarged(this.#lengths)
    this.start = this.length
  }

  clear(): void {
    this.length = this.start
  }

  lengths(rows: number): Uint32Array {
    if (rows > 0) this.#lengths[rows - 1] = this.length - this.start
    return this.#lengths.subarray(0, rows)
  }
}

function enlarged<T extends Uint8Array | Uint32Array | Float64Array>(array: T): T {
  const larger = new (array.constructor as new (length: number) => T)(2 * array.length)
  larger.set(array)
  return larger
}
