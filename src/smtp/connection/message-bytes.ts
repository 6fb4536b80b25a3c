const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e

/** States of the scan. A line starts only after CR LF, so a bare CR or LF cannot precede the end of data: only CR LF . CR LF
 *  ends a message. */
const LINE_START = 0
const IN_LINE = 1
const AFTER_CR = 2
/** After a `.` at the start of a line: dot-stuffing, or the end of data. */
const AFTER_DOT = 3
const AFTER_DOT_CR = 4

/** Parses message data up to the end of data (RFC 5321, section 4.1.1.4) and undoes dot-stuffing (section 4.5.2). A bare CR
 *  or LF or a NUL is recorded, and the message is read to its end, so that the session stays in sequence. */
export class MessageBytes {
  /** The first violation: a bare CR or LF (RFC 5321, section 2.3.8), or a NUL. */
  fault: 'bare line ending' | 'nul' | undefined
  #state = LINE_START

  /** Parses a chunk, which it overwrites. `rest` is what follows the end of data; undefined before that. */
  feed(chunk: Buffer): { content: Buffer; rest: Buffer | undefined } {
    let state = this.#state
    let to = 0
    let from = 0
    const { length } = chunk
    for (;;) {
      if (state === IN_LINE) {
        const start = from
        while (from < length && (chunk[from] as number) > CR) from++
        if (to !== start) chunk.copyWithin(to, start, from)
        to += from - start
      }
      if (from === length) break
      const octet = chunk[from++] as number
      if (state === AFTER_DOT_CR && octet === LF) {
        this.#state = LINE_START
        return { content: chunk.subarray(0, to), rest: chunk.subarray(from) }
      }
      if (octet === LF) {
        if (state === AFTER_CR) state = LINE_START
        else {
          this.fault ??= 'bare line ending'
          state = IN_LINE
        }
      } else if (state === AFTER_CR || state === AFTER_DOT_CR) {
        this.fault ??= 'bare line ending'
        state = octet === CR ? AFTER_CR : IN_LINE
      } else if (octet === CR) {
        state = state === AFTER_DOT ? AFTER_DOT_CR : AFTER_CR
        // Dropped: it belongs to the end of data, or the message is refused.
        if (state === AFTER_DOT_CR) continue
      } else if (octet === DOT && state === LINE_START) {
        state = AFTER_DOT
        continue
      } else {
        if (octet === 0) this.fault ??= 'nul'
        state = IN_LINE
      }
      chunk[to++] = octet
    }
    this.#state = state
    return { content: chunk.subarray(0, to), rest: undefined }
  }
}
