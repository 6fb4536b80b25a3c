import type { Socket } from 'node:net'
import { joined } from '#/base/event-loop/pieces.ts'
import { MessageBytes } from './message-bytes.ts'
import type { MemoryReservation } from './message-memory.ts'

/** RFC 5321, section 4.5.3.1.4 demands 512 octets, and more for extensions. */
const LONGEST_LINE = 2048
/** Octets without a line end after which the connection is closed. */
const LONGEST_INPUT = 64 * 1024

const CR = 0x0d
const LF = 0x0a
const NOTHING = Buffer.alloc(0)

/** A command line without its end. `fault` says why it is invalid. */
export type Line = { readonly text: string; readonly fault?: 'bare line ending' | 'too long' | undefined }

type Fault = 'too large' | 'no room' | 'bare line ending' | 'nul'

export interface Received {
  /** The message, without dot-stuffing; empty if it was discarded. */
  readonly bytes: Buffer
  /** Why it is refused; `endless` if it was not read to its end. */
  readonly fault?: Fault | 'endless' | undefined
}

/** The client has disconnected. */
export class ClientGone extends Error {}

/** Reads command lines and messages from a client. It reads no more than one chunk ahead, so a client that does not wait
 *  fills only the kernel's buffers. */
export class SmtpReader {
  readonly #socket: Socket
  #left: Buffer = NOTHING
  #over = false
  #wake: (() => void) | undefined
  readonly #onReadable = () => this.#wake?.()
  readonly #onOver = () => {
    this.#over = true
    this.#wake?.()
  }

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('readable', this.#onReadable)
    socket.once('end', this.#onOver)
    socket.once('close', this.#onOver)
  }

  /** Whether the client has sent more than was read. */
  get ahead(): boolean {
    return this.#left.length > 0 || this.#socket.readableLength > 0
  }

  /** Whether the next command line has been received. */
  get lineAhead(): boolean {
    const more = this.#socket.readableLength > 0 ? (this.#socket.read() as Buffer | null) : null
    if (more) this.#left = this.#left.length > 0 ? Buffer.concat([this.#left, more]) : more
    return this.#left.includes(LF)
  }

  /** Stops reading: TLS takes over the socket. */
  release(): void {
    this.#socket.off('readable', this.#onReadable)
    this.#socket.off('end', this.#onOver)
    this.#socket.off('close', this.#onOver)
  }

  /** Ends a pending wait. */
  close(): void {
    this.release()
    this.#onOver()
  }

  /** The next command line. A line ends at LF; without a CR before it the line is invalid (RFC 5321, section 2.3.8). Throws
   *  `ClientGone`. */
  async line(): Promise<Line> {
    let seen = 0
    for (;;) {
      const end = this.#left.indexOf(LF, seen)
      if (end >= 0) return this.#cutLine(end)
      seen = this.#left.length
      if (seen > LONGEST_INPUT) throw new ClientGone()
      const more = this.#read()
      if (more) this.#left = seen === 0 ? more : Buffer.concat([this.#left, more])
      else await this.#readable()
    }
  }

  #cutLine(end: number): Line {
    const line = this.#left.subarray(0, end)
    this.#left = end + 1 === this.#left.length ? NOTHING : this.#left.subarray(end + 1)
    if (end > LONGEST_LINE) return { text: '', fault: 'too long' }
    if (line[end - 1] !== CR || line.indexOf(CR) < end - 1) return { text: '', fault: 'bare line ending' }
    return { text: line.toString('utf8', 0, end - 1) }
  }

  /** Reads the message up to the end of data. One that exceeds `limit` octets or the memory is discarded, but read to its
   *  end, or to twice the limit, so that the session stays in sequence. The caller releases `bytes.length` of `memory`.
   *  `progress` is called for every read. Throws `ClientGone`. */
  async message(
    limit: number,
    memory: Pick<MemoryReservation, 'reserve' | 'release' | 'complete'>,
    progress: (octets: number) => void,
  ): Promise<Received> {
    const reader = new MessageBytes()
    let kept: Buffer[] = []
    let keptOctets = 0
    let octets = 0
    let fault: Fault | undefined
    const drop = (why: Fault) => {
      memory.release(keptOctets)
      keptOctets = 0
      kept = []
      fault = why
    }
    try {
      while (octets <= 2 * limit) {
        const chunk = this.#left.length > 0 ? this.#left : this.#read()
        if (!chunk) {
          await this.#readable()
          continue
        }
        progress(chunk.length)
        const { content, rest } = reader.feed(chunk)
        this.#left = rest ?? NOTHING
        octets += content.length
        if (octets > limit) drop('too large')
        else if (!fault && memory.reserve(content.length)) {
          kept.push(content)
          keptOctets += content.length
        } else if (!fault) drop('no room')
        if (rest) memory.complete()
        if (rest) return { bytes: await joined(kept), fault: fault ?? reader.fault }
      }
    } catch (error) {
      memory.release(keptOctets)
      throw error
    }
    return { bytes: NOTHING, fault: 'endless' }
  }

  /** The chunk that has been received. Throws `ClientGone` if none will come. */
  #read(): Buffer | null {
    const chunk = this.#socket.read() as Buffer | null
    if (!chunk && (this.#over || this.#socket.destroyed)) throw new ClientGone()
    return chunk
  }

  /** Resolves when there may be another chunk, or none will come. */
  #readable(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
