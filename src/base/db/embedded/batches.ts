/** Frontend messages after which the server processes what it has received: Query, Sync, Flush, CopyDone, CopyFail. */
const endsBatch = new Set(Array.from('QSHcf', (type) => type.charCodeAt(0)))
const terminate = 'X'.charCodeAt(0)
const headerBytes = 5

type FromClient = { kind: 'startup' } | { kind: 'terminate' } | { kind: 'batch'; bytes: Uint8Array<ArrayBuffer> }

/** Splits a client's output into batches that the server can process at once (PostgreSQL protocol 3, "Message Formats"),
 *  however the bytes were split in transit. Each byte is copied once, into its batch. */
export class Batches {
  readonly #header = Buffer.alloc(headerBytes)
  #headerLength = 1 // the startup message has no type byte
  #bodyLeft = 0
  #started = false
  #parts: Uint8Array[] = []

  /** The batches that `chunk` completed, in order. Nothing follows a `terminate`. */
  add(chunk: Uint8Array): FromClient[] {
    const completed: FromClient[] = []
    let from = 0
    let at = 0
    while (at < chunk.length) {
      at = this.#advance(chunk, at)
      if (this.#headerLength < headerBytes || this.#bodyLeft > 0) continue
      const type = this.#header[0] ?? 0
      this.#headerLength = 0
      if (!this.#started) {
        this.#started = true
        this.#parts = []
        from = at
        completed.push({ kind: 'startup' })
      } else if (type === terminate) {
        completed.push({ kind: 'terminate' })
        return completed
      } else if (endsBatch.has(type)) {
        this.#parts.push(chunk.subarray(from, at))
        from = at
        completed.push({ kind: 'batch', bytes: join(this.#parts) })
        this.#parts = []
      }
    }
    if (from < at) this.#parts.push(chunk.subarray(from, at))
    return completed
  }

  /** Continues in the header or body at `at`; answers where that or the chunk ends. */
  #advance(chunk: Uint8Array, at: number): number {
    if (this.#headerLength < headerBytes) {
      const end = Math.min(at + headerBytes - this.#headerLength, chunk.length)
      this.#header.set(chunk.subarray(at, end), this.#headerLength)
      this.#headerLength += end - at
      if (this.#headerLength === headerBytes) this.#bodyLeft = this.#header.readUInt32BE(1) - 4
      return end
    }
    const end = Math.min(at + this.#bodyLeft, chunk.length)
    this.#bodyLeft -= end - at
    return end
  }
}

/** In a buffer of its own, which can be transferred to another thread without a copy. */
function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
