import type { FastifyReply } from 'fastify'
import { collected, pieceBytes } from '#/bytes.ts'
import { notFound } from '#/errors.ts'
import type { Stored } from '#/ports/mail-host.ts'

/** How many large messages may be in memory at once, from when they are fetched until they are answered: with what is
 *  made of them each takes two or three times its size. */
const mostAtOnce = 4

/** How long an answer may take its client (milliseconds), and for how many bytes it may take a second more. */
const patience = 60_000
const slowestBytes = 256 * 1024

/** Fetches whole messages. Large ones wait for a place, so that however many are asked for, memory is enough. */
export class LargeMessages {
  #free = mostAtOnce
  readonly #waiting: (() => void)[] = []

  /** The message's bytes, to be answered with by `reply`: then the place is free again. */
  async fetch({ summary: { sizeBytes }, pieces }: Stored, reply: FastifyReply): Promise<Buffer> {
    if (sizeBytes > pieceBytes) await this.#enter(reply, sizeBytes)
    return collected(pieces(), sizeBytes)
  }

  async #enter({ raw: response }: FastifyReply, size: number): Promise<void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((enter) => this.#waiting.push(enter))
    // Who has gone away meanwhile hears nothing of this.
    if (response.closed) {
      this.#leave()
      throw notFound('message')
    }
    const cut = setTimeout(() => response.destroy(), patience + (size / slowestBytes) * 1000).unref()
    response.once('close', () => {
      clearTimeout(cut)
      this.#leave()
    })
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
