const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e

/** Where in a line the scan stands. A line starts only after CR LF: a bare LF or CR never opens a place where the
 *  final dot could stand, whatever surrounds it, so nothing but CR LF . CR LF ends a message. */
const LINE_START = 0
const IN_LINE = 1
const AFTER_CR = 2
/** After the dot that opens a line: dot-stuffing, or the first octet of the end. */
const AFTER_DOT = 3
const AFTER_DOT_CR = 4

/** Reads the octets after 354 up to the final dot (RFC 5321 4.1.1.4), with dot-stuffing undone (4.5.2). A stray CR or
 *  LF or a NUL is noted, not stopped at, so that the message is read to its end and the session stays in step. */
export class MessageBytes {
  /** The first thing seen that no message may hold: a CR without LF, an LF without CR (RFC 5321 2.3.8), a NUL. */
  fault: 'bare line ending' | 'nul' | undefined
  #state = LINE_START

  /** Takes what belongs to the message from the front of the chunk, which it overwrites. `rest` is the octets after
   *  the final dot, undefined while the message goes on. */
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
        // Held back until it is known whether it belongs to the final dot; if not, the message is refused anyway.
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
