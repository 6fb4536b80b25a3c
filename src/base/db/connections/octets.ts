import type { Duplex } from 'node:stream'
import type pg from 'pg'

/** The comment of statements that answer one row at most, of one column, octets. */
export const answersOctets = '/* octets */'

type Listener = (chunk: Buffer) => void

const dataRow = 'D'.charCodeAt(0)
const readyForQuery = 'Z'.charCodeAt(0)
/** A message's type and length; of a row also the number of columns and the length of the first. */
const headBytes = 5
const rowHeadBytes = 11

/**
 * The octets that a statement answers, in the format in which the server has them (PostgreSQL protocol 3, "Message Formats"). node-postgres makes
 * a string of every value, and joins a large message from what arrives by copying it several times. So while the statement runs its messages
 * are looked at first, and node-postgres sees those that are no rows. Nothing else may run on the connection meanwhile. Nothing is copied: memory
 * outside of V8's heap that comes and goes has it collect the whole heap, which takes longer than all the rest.
 */
export class OctetsReply {
  /** As they have arrived; undefined for null, and without a row. */
  parts: Buffer[] | undefined
  readonly #head = Buffer.alloc(rowHeadBytes)
  #headLength = 0
  /** Octets of the message that are to come, behind its head. */
  #left = 0
  /** Whether they are the row's. */
  #isRow = false
  #stop: () => void = () => {}
  #others: readonly Listener[] = []

  constructor(statement: pg.Query) {
    const { submit } = statement
    Object.assign(statement, {
      binary: true,
      submit: (connection: pg.Connection) => {
        const failed: unknown = submit.call(statement, connection)
        if (!failed) this.#begin(connection.stream as Duplex)
        return failed
      },
    })
  }

  #begin(stream: Duplex): void {
    this.#others = stream.listeners('data') as Listener[]
    const own: Listener = (chunk) => this.#read(chunk)
    const change = (from: readonly Listener[], to: readonly Listener[]) => {
      for (const one of from) stream.off('data', one)
      for (const one of to) stream.on('data', one)
    }
    change(this.#others, [own])
    this.#stop = () => change([own], this.#others)
  }

  #read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) at = this.#left > 0 ? this.#body(chunk, at) : this.#message(chunk, at)
  }

  #pass(octets: Buffer): void {
    for (const other of this.#others) other(octets)
  }

  /** Goes on in the body of a message. Answers where the next one begins, or the chunk ends. */
  #body(chunk: Buffer, at: number): number {
    const end = Math.min(at + this.#left, chunk.length)
    const part = chunk.subarray(at, end)
    if (this.#isRow) this.parts?.push(part)
    else this.#pass(part)
    this.#left -= end - at
    return end
  }

  /** Goes on in the head of a message. */
  #message(chunk: Buffer, start: number): number {
    let at = start
    while (at < chunk.length && this.#headLength < this.#wanted) this.#head[this.#headLength++] = chunk[at++] ?? 0
    if (this.#headLength < this.#wanted) return at
    const head = Buffer.from(this.#head.subarray(0, this.#headLength))
    this.#headLength = 0
    this.#isRow = head[0] === dataRow
    if (this.#isRow) {
      const length = head.readInt32BE(7)
      this.#left = Math.max(0, length)
      if (length >= 0) this.parts = []
      return at
    }
    // What hears of the end may begin the next statement at once.
    if (head[0] === readyForQuery) {
      this.#stop()
      this.#pass(Buffer.concat([head, chunk.subarray(at)]))
      return chunk.length
    }
    this.#left = head.readInt32BE(1) - (headBytes - 1)
    this.#pass(head)
    return at
  }

  get #wanted(): number {
    return this.#headLength > 0 && this.#head[0] === dataRow ? rowHeadBytes : headBytes
  }
}
