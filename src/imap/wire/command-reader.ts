import { joined } from '#/base/event-loop/pieces.ts'
import type { MemoryReservation } from '#/smtp/connection/message-memory.ts'
import { Bye } from '../answers.ts'
import type { Octets } from './arguments.ts'
import type { Input } from './input.ts'
import type { ImapLimits } from './limits.ts'
import { type Announced, announcedAt } from './literal.ts'
import type { Received } from './parser.ts'

/** Why a command is refused whatever it says. */
export interface Fault {
  readonly status: 'NO' | 'BAD'
  readonly text: string
  readonly code?: string
}

/** One with a fault has been read to its end, so that the next begins where it should, and may lack parts. */
export interface ReceivedCommand extends Received {
  readonly fault: Fault | undefined
}

/** What a reader knows of its connection, and does with it. */
export interface ReaderContext {
  readonly limits: ImapLimits
  readonly isSignedIn: boolean
  /** Where literals are counted. What a command reserves stays so until the caller releases it. */
  readonly memory: Pick<MemoryReservation, 'fits' | 'reserve' | 'release' | 'complete' | 'held'>
  askForLiteral(): void
  literalBegins(): void
  /** So many octets of a literal have come. */
  progress(octets: number): void
}

const tooLarge: Fault = { status: 'NO', text: 'The command is too large', code: 'TOOBIG' }
const tooLargeMessage: Fault = { status: 'NO', text: 'The message is too large', code: 'TOOBIG' }
const noRoom: Fault = { status: 'NO', text: 'Too many literals arrive at once; try again shortly', code: 'UNAVAILABLE' }
const tooLong: Fault = { status: 'BAD', text: 'The command line is too long' }
const notText: Fault = { status: 'BAD', text: 'The command line contains NUL or a bare CR' }

/** Octets that are allocated at a time for a literal, as it comes: what a client only announces takes no memory. */
const blockLength = 256 * 1024

/** Reads one command with its literals (RFC 9051, section 2.2.1; RFC 7888). Throws `Bye` where reading on costs more than the
 *  client is worth, `ClientGone`, and what the input is told by `stop`. */
export function readCommand(input: Input, context: ReaderContext): Promise<ReceivedCommand> {
  return new Reading(input, context).command()
}

class Reading {
  readonly #input: Input
  readonly #context: ReaderContext
  #text = ''
  #literals: Octets[] = []
  #fault: Fault | undefined
  /** What is left for text and small literals, for messages, and for literals that are thrown away. */
  #room: number
  #messageRoom: number
  #discardRoom: number

  constructor(input: Input, context: ReaderContext) {
    this.#input = input
    this.#context = context
    const { limits, isSignedIn } = context
    this.#room = isSignedIn ? limits.command : limits.commandBeforeLogin
    this.#messageRoom = limits.messages
    this.#discardRoom = isSignedIn ? 2 * limits.messageSize : limits.command
  }

  async command(): Promise<ReceivedCommand> {
    for (;;) {
      const { text, tail } = await this.#input.line(this.#room)
      if (tail !== undefined) this.#refuse(tooLong)
      else if (/[\0\r]/.test(text)) this.#refuse(notText)
      this.#room -= text.length
      const announced = announcedAt(tail ?? text)
      this.#text += announced && tail === undefined ? `${text.slice(0, announced.at)}\0` : text
      if (!announced) return this.#received()
      if (!this.#fault) this.#refuse(this.#problemOf(announced))
      if (this.#fault && announced.isSynchronizing) return this.#received()
      if (announced.isSynchronizing) this.#context.askForLiteral()
      this.#context.literalBegins()
      if (this.#fault) await this.#discard(announced.octets)
      else await this.#literal(announced)
    }
  }

  #received(): ReceivedCommand {
    this.#context.memory.complete()
    return { text: this.#text, literals: this.#literals, fault: this.#fault }
  }

  /** What came is of no use any more. */
  #refuse(fault: Fault | undefined): void {
    if (!fault) return
    this.#fault ??= fault
    this.#literals = []
    this.#context.memory.release(this.#context.memory.held)
  }

  /** Literals of these commands are messages: also the name of their mailbox may be one, and a few octets are as good there. */
  get #takesMessages(): boolean {
    return this.#context.isSignedIn && /^[^ ]+ +(?:APPEND|(?:UID +)?REPLACE) /i.test(this.#text)
  }

  #problemOf({ octets, isSynchronizing }: Announced): Fault | undefined {
    const { limits, isSignedIn, memory } = this.#context
    if (this.#takesMessages) {
      if (octets > limits.messageSize || octets > this.#messageRoom) return tooLargeMessage
      this.#messageRoom -= octets
      return isSynchronizing && !memory.fits(octets) ? noRoom : undefined
    }
    if (octets > this.#room || (!isSignedIn && octets > limits.literalBeforeLogin)) return tooLarge
    this.#room -= octets
    return undefined
  }

  async #literal({ octets, isBinary }: Announced): Promise<void> {
    const { memory } = this.#context
    const blocks: Buffer[] = []
    let block = Buffer.alloc(0)
    let filled = 0
    let left = octets
    await this.#input.octets(octets, (part) => {
      this.#context.progress(part.length)
      for (let at = 0; at < part.length && !this.#fault; ) {
        if (filled === block.length) {
          const length = Math.min(left, blockLength)
          if (!memory.reserve(length)) return this.#refuse(noRoom)
          block = Buffer.allocUnsafeSlow(length)
          filled = 0
          blocks.push(block)
        }
        const copied = part.copy(block, filled, at)
        at += copied
        filled += copied
        left -= copied
      }
    })
    if (!this.#fault) this.#literals.push({ bytes: await joined(blocks), isBinary })
  }

  async #discard(octets: number): Promise<void> {
    this.#discardRoom -= octets
    if (this.#discardRoom < 0) throw new Bye(this.#fault?.text ?? 'The command is too large', 'TOOBIG')
    await this.#input.octets(octets, (part) => this.#context.progress(part.length))
  }
}
