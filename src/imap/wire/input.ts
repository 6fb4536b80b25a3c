import type { Readable } from 'node:stream'
import { Bye } from '../answers.ts'
import { InflatedSource, SocketSource, type Source } from './source.ts'

/** A line without its end, in Latin-1, each octet a character. */
export interface Line {
  /** Of a line that is too long only the beginning. */
  readonly text: string
  /** The end of a line that is too long, else undefined. */
  readonly tail?: string
}

/** Octets of a line that is too long which are read and thrown away. */
const discarded = 1 << 20
/** Of such a line its beginning is kept, for its tag, and its end, where a literal may be announced. */
const headLength = 256
const tailLength = 32
const LF = 0x0a
const NOTHING = Buffer.alloc(0)

/** Reads lines and literals from a client. */
export class Input {
  #source: Source
  #left: Buffer = NOTHING
  #stopped: Error | undefined
  #waiting: (() => void) | undefined
  readonly #wake = () => {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.()
  }

  constructor(socket: Readable) {
    this.#source = new SocketSource(socket, this.#wake)
  }

  /** Throws away what has come. */
  discardAhead(): void {
    this.#left = NOTHING
    while (this.#source.read());
  }

  /** What comes from now on is compressed. */
  inflate(): void {
    this.#source = new InflatedSource(this.#source, this.#left, this.#wake)
    this.#left = NOTHING
  }

  /** Reads nothing any more: TLS takes the socket over, or it ends. */
  release(): void {
    this.#source.release()
    this.#left = NOTHING
  }

  /** Has whoever waits for octets, or will, get this error instead. */
  stop(error: Error): void {
    this.#stopped ??= error
    this.#wake()
  }

  /** Whether something has come. Throws `ClientGone`, and what `stop` was told. */
  hasBegun(): boolean {
    const chunk = this.#next()
    if (chunk) this.#left = chunk
    return chunk !== null
  }

  /** Resolves once more may have come. */
  more(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  /** The next line, of at most so many octets. A line ends at LF, before which there is a CR, which some clients leave out.
   *  Throws `Bye` for one that has no end, `ClientGone`, and what `stop` was told. */
  async line(most: number): Promise<Line> {
    let line: GrowingLine | undefined
    for (;;) {
      const chunk = this.#next()
      if (!chunk) {
        await this.more()
        continue
      }
      const end = chunk.indexOf(LF)
      if (end >= 0) this.#left = chunk.subarray(end + 1)
      // Most lines come in one chunk.
      if (end >= 0 && !line && end <= most) return { text: withoutCr(chunk.toString('latin1', 0, end)) }
      line ??= new GrowingLine(most)
      line.add(end < 0 ? chunk : chunk.subarray(0, end))
      if (end >= 0) return line.read()
      if (line.length > most + discarded) throw new Bye('A line has no end', 'TOOBIG')
    }
  }

  /** Hands so many octets out as they come. Throws `ClientGone`, and what `stop` was told. */
  async octets(count: number, take: (part: Buffer) => void): Promise<void> {
    for (let left = count; left > 0; ) {
      const chunk = this.#next()
      if (!chunk) {
        await this.more()
        continue
      }
      const part = chunk.length > left ? chunk.subarray(0, left) : chunk
      if (part.length < chunk.length) this.#left = chunk.subarray(left)
      left -= part.length
      take(part)
    }
  }

  /** What has come, or null. Throws `ClientGone`, and what `stop` was told. */
  #next(): Buffer | null {
    if (this.#stopped) throw this.#stopped
    const chunk = this.#left.length > 0 ? this.#left : this.#source.read()
    this.#left = NOTHING
    return chunk
  }
}

/** A line that comes in parts, perhaps of one octet each. */
class GrowingLine {
  length = 0
  readonly #most: number
  #kept = NOTHING
  #tail = ''

  constructor(most: number) {
    this.#most = most
  }

  add(part: Buffer): void {
    const kept = Math.min(this.length, this.#most)
    const fitting = part.subarray(0, this.#most - kept)
    const needed = kept + fitting.length
    if (needed > this.#kept.length) {
      const larger = Buffer.alloc(Math.min(Math.max(needed, 2 * this.#kept.length), this.#most))
      this.#kept.copy(larger)
      this.#kept = larger
    }
    fitting.copy(this.#kept, kept)
    this.length += part.length
    this.#tail = (this.#tail + part.toString('latin1', Math.max(0, part.length - tailLength))).slice(-tailLength)
  }

  read(): Line {
    if (this.length <= this.#most) return { text: withoutCr(this.#kept.toString('latin1', 0, this.length)) }
    return { text: this.#kept.toString('latin1', 0, headLength), tail: withoutCr(this.#tail) }
  }
}

function withoutCr(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
