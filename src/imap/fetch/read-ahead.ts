import { sliceEnd } from '#/mail/store/octets.ts'
import type { Content } from './contents.ts'
import type { Range } from './section.ts'

/** Messages of which the next octets are kept, in a process: at most 16 MiB of them. */
const mostMessages = 64
/** Of what is known of a message, what takes memory for as long. */
const mostKnown = 32 << 10

/** A message that a client reads in pieces. */
interface Reading {
  readonly content: Content
  /** Where the last piece has ended. */
  next: number
  /** Octets from there on, or from before: none if they could not be read. */
  window: (Range & { readonly parts: Promise<readonly Buffer[]> }) | undefined
}

/**
 * What clients will ask for next that read a large message in pieces, a command each: while one takes a piece the next octets are read. Whoever
 * asks for a second piece behind the first goes on; many want the beginning alone. What a message says never changes, and no other one ever has
 * the same folder and uid, so whoever may read it may read what is kept of it.
 */
export class ReadAhead {
  /** The one that was used last comes last. */
  readonly #readings = new Map<string, Reading>()
  readonly #most: number

  constructor(most = mostMessages) {
    this.#most = most
  }

  /** What was read of the message with the last piece. */
  contentOf(name: string): Content | undefined {
    return this.#readings.get(name)?.content
  }

  /** The octets of a range within what ends at `last`, by `read` unless they are there. */
  async *octets(
    name: string,
    content: Content,
    { start, end }: Range,
    { last, read }: { readonly last: number; readonly read: (range: Range) => AsyncIterable<Buffer> },
  ): AsyncGenerator<Buffer> {
    const reading = this.#readings.get(name)
    const window = reading?.window
    const goOn = () => {
      this.#readings.delete(name)
      if (end >= last || content.head.length + (content.structure?.length ?? 0) > mostKnown) return
      const kept = window && end < window.end ? window : undefined
      const next = kept ?? (reading?.next === start ? begin(end, last, read) : undefined)
      this.#keep(name, { content, next: end, window: next })
    }
    const isThere = window !== undefined && window.start <= start && end <= window.end
    // The next is read while the client takes this.
    if (isThere) goOn()
    let at = start
    if (window && window.start <= at && at < window.end) {
      for (const part of within(await window.parts, at - window.start, Math.min(end, window.end) - window.start)) {
        yield part
        at += part.length
      }
    }
    if (at < end) yield* read({ start: at, end })
    if (!isThere) goOn()
  }

  #keep(name: string, reading: Reading): void {
    this.#readings.set(name, reading)
    const [oldest] = this.#readings.keys()
    if (this.#readings.size > this.#most && oldest !== undefined) this.#readings.delete(oldest)
  }
}

function begin(start: number, last: number, read: (range: Range) => AsyncIterable<Buffer>): Reading['window'] {
  const end = sliceEnd(start, last)
  // Whoever asks for what could not be read hears why.
  return { start, end, parts: Array.fromAsync(read({ start, end })).catch(() => []) }
}

/** The octets from `start` up to, not including, `end`. */
function* within(parts: readonly Buffer[], start: number, end: number): Generator<Buffer> {
  let at = 0
  for (const part of parts) {
    const wanted = part.subarray(Math.max(0, start - at), Math.max(0, end - at))
    if (wanted.length > 0) yield wanted
    at += part.length
  }
}
