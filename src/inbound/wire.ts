import type { Socket } from 'node:net'
import { joined } from '#/bytes.ts'
import { MessageBytes } from './message-bytes.ts'
import type { Room } from './room.ts'

/** RFC 5321 4.5.3.1.4 asks for 512 octets, and more for what extensions add. */
const LONGEST_LINE = 2048
/** A line that never ends is read on for this long, then the connection is cut. */
const LONGEST_RUBBISH = 64 * 1024

const CR = 0x0d
const LF = 0x0a
const NOTHING = Buffer.alloc(0)

/** One line of a command, without its end. `fault` says why it is no command. */
export type Line = { readonly text: string; readonly fault?: 'bare line ending' | 'too long' | undefined }

type Fault = 'too large' | 'no room' | 'bare line ending' | 'nul'

export interface Received {
  /** The message, dots unstuffed; empty where it was not kept. */
  readonly bytes: Buffer
  /** Why it cannot be taken; `endless` where its end was not waited for. */
  readonly fault?: Fault | 'endless' | undefined
}

/** The client went away or broke the connection. */
export class Gone extends Error {}

/** What a client sends, one command line or one message at a time. Nothing is read ahead of what was asked for but
 *  what one read of the socket holds, so a client that does not wait for us waits in the kernel's buffers. */
export class Wire {
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

  /** Whether the client has sent more than it was asked for. */
  get ahead(): boolean {
    return this.#left.length > 0 || this.#socket.readableLength > 0
  }

  /** Whether the next command line is here whole. */
  get lineAhead(): boolean {
    const more = this.#socket.read() as Buffer | null
    if (more) this.#left = this.#left.length > 0 ? Buffer.concat([this.#left, more]) : more
    return this.#left.includes(LF)
  }

  /** Leaves the socket to a TLS session on top of it. */
  release(): void {
    this.#socket.off('readable', this.#onReadable)
    this.#socket.off('end', this.#onOver)
    this.#socket.off('close', this.#onOver)
  }

  /** Whoever waits for the client waits no more. */
  close(): void {
    this.release()
    this.#onOver()
  }

  /** The next command line. A line ends at LF, whatever comes before it: what is not CR LF is a fault of that line
   *  alone (RFC 5321 2.3.8). Throws `Gone`. */
  async line(): Promise<Line> {
    let seen = 0
    for (;;) {
      const end = this.#left.indexOf(LF, seen)
      if (end >= 0) return this.#cutLine(end)
      seen = this.#left.length
      if (seen > LONGEST_RUBBISH) throw new Gone()
      const more = await this.#more()
      this.#left = seen === 0 ? more : Buffer.concat([this.#left, more])
    }
  }

  #cutLine(end: number): Line {
    const line = this.#left.subarray(0, end)
    this.#left = end + 1 === this.#left.length ? NOTHING : this.#left.subarray(end + 1)
    if (end > LONGEST_LINE) return { text: '', fault: 'too long' }
    if (line[end - 1] !== CR || line.indexOf(CR) < end - 1) return { text: '', fault: 'bare line ending' }
    return { text: line.toString('utf8', 0, end - 1) }
  }

  /** The message up to its final dot. Of one that is larger than `limit` octets, or than there is room for, nothing is
   *  kept, but it is read to its end so that the session stays in step; at twice the limit that ends too. The caller
   *  gives `bytes.length` back to `room`. `progress` hears of every read. Throws `Gone`. */
  async message(
    limit: number,
    room: Pick<Room, 'take' | 'give' | 'done'>,
    progress: (octets: number) => void,
  ): Promise<Received> {
    const reader = new MessageBytes()
    let kept: Buffer[] = []
    let keptOctets = 0
    let octets = 0
    let fault: Fault | undefined
    const drop = (why: Fault) => {
      room.give(keptOctets)
      keptOctets = 0
      kept = []
      fault = why
    }
    try {
      while (octets <= 2 * limit) {
        const chunk = this.#left.length > 0 ? this.#left : await this.#more()
        progress(chunk.length)
        const { content, rest } = reader.feed(chunk)
        this.#left = rest ?? NOTHING
        octets += content.length
        if (octets > limit) drop('too large')
        else if (!fault && room.take(content.length)) {
          kept.push(content)
          keptOctets += content.length
        } else if (!fault) drop('no room')
        if (rest) room.done()
        if (rest) return { bytes: await joined(kept), fault: fault ?? reader.fault }
      }
    } catch (error) {
      room.give(keptOctets)
      throw error
    }
    return { bytes: NOTHING, fault: 'endless' }
  }

  async #more(): Promise<Buffer> {
    for (;;) {
      const chunk = this.#socket.read() as Buffer | null
      if (chunk) return chunk
      if (this.#over || this.#socket.destroyed) throw new Gone()
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
  }
}
