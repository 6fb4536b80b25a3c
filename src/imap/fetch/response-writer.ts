import { setImmediate as nextTurn } from 'node:timers/promises'
import { Gone } from '#/mail/store/octets.ts'
import { Bye } from '../answers.ts'
import type { Output } from '../wire/output.ts'
import { withoutNul } from './octet-text.ts'

/** Text that is sent together. */
const together = 64 << 10
/** Octets that are put beside the text, since a write of its own costs more. */
const fewBytes = 16 << 10

/** How long a turn of the event loop may take, in milliseconds. */
const longest = 10

/** Writes responses, one after another, with little kept in memory. A response whose message turns out to be gone is taken back, unless
 *  part of it was sent: then the connection ends, since the client waits for the octets of a literal. */
export class ResponseWriter {
  readonly #output: Output
  /** One character an octet. */
  #text = ''
  #since = performance.now()
  /** Where the current response begins in the text; undefined once part of it was sent. */
  #start: number | undefined = 0

  constructor(output: Output) {
    this.#output = output
  }

  /** Whether so much is there that it should be sent. */
  get isFull(): boolean {
    return this.#text.length >= together
  }

  /** Lets others have their turn of the event loop, if this has had it for long. To be awaited between parts of a response. */
  async pause(): Promise<void> {
    if (performance.now() - this.#since < longest) return
    await nextTurn()
    this.#since = performance.now()
  }

  /** Adds to the text. */
  add(text: string): void {
    this.#text += text
  }

  /** Writes one response. False if its message is gone, and nothing of it was or will be sent. */
  async response(write: () => Promise<void>): Promise<boolean> {
    this.#start = this.#text.length
    try {
      await write()
    } catch (error) {
      if (this.#start === undefined) throw new Bye('A message could not be read to its end')
      this.#text = this.#text.slice(0, this.#start)
      if (error instanceof Gone) return false
      throw error
    }
    if (this.isFull) await this.flush()
    return true
  }

  /** A literal of so many octets. If they may have NUL it says so (RFC 3516, section 4.2), else there is none. */
  async literal(size: number, pieces: AsyncIterable<Buffer>, mayHaveNul = false): Promise<void> {
    this.add(`${mayHaveNul ? '~' : ''}{${size}}\r\n`)
    let left = size
    for await (const piece of pieces) {
      left -= piece.length
      if (left < 0) break
      const octets = mayHaveNul ? piece : withoutNul(piece)
      if (size <= fewBytes) {
        this.add(octets.toString('latin1'))
        continue
      }
      await this.flush()
      await this.#output.write(octets)
    }
    if (left !== 0) throw new Error('a literal has not the size that was announced')
    if (this.isFull) await this.flush()
  }

  /** Sends what is there. */
  async flush(): Promise<void> {
    if (this.#text === '') return
    const bytes = Buffer.from(this.#text, 'latin1')
    this.#text = ''
    this.#start = undefined
    await this.#output.write(bytes)
  }
}
