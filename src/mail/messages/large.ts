import type { FastifyReply } from 'fastify'
import type { Holder } from '#/base/event-loop/fair-share.ts'
import { collected, pieceBytes } from '#/base/event-loop/pieces.ts'
import type { AnswerMemory } from '#/http/answers/answer-memory.ts'
import type { Stored } from '#/mail/store/read.ts'

/** Memory for a message that is opened, as a multiple of its size: its octets, their decoded texts, and the answer. */
const opened = 3

/** Reads whole messages for requests. Large ones wait for memory. */
export class LargeMessages {
  readonly #memory: AnswerMemory

  constructor(memory: AnswerMemory) {
    this.#memory = memory
  }

  /** The message's bytes, for an answer with its content. @throws Refusal */
  async fetch(stored: Stored, reply: FastifyReply): Promise<Buffer> {
    if (isLarge(stored)) await this.reserve(reply, stored.summary.sizeBytes)
    return bytesOf(stored)
  }

  /** Waits for memory for an answer with the content of messages of so many octets. @throws Refusal */
  reserve(reply: FastifyReply, octets: number): Promise<void> {
    return this.#memory.reserve(reply, opened * octets)
  }

  /** Waits for memory for an answer that is the message's bytes, piece by piece. @throws Refusal */
  reservePieces(reply: FastifyReply, { summary }: Stored): Promise<void> {
    return this.#memory.reserve(reply, Math.min(summary.sizeBytes, opened * pieceBytes))
  }

  /** The result of `work` on the message's bytes. Their memory is free when the work has ended. @throws Refusal */
  async read<T>(stored: Stored, holder: Holder, work: (raw: Buffer) => Promise<T>): Promise<T> {
    const octets = isLarge(stored) ? opened * stored.summary.sizeBytes : 0
    return await this.#memory.during(holder, octets, async () => work(await bytesOf(stored)))
  }
}

const isLarge = ({ summary }: Stored) => summary.sizeBytes > pieceBytes
const bytesOf = ({ summary, pieces }: Stored) => collected(pieces(), summary.sizeBytes)
