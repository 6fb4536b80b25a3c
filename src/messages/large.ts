import type { FastifyReply } from 'fastify'
import { notFound } from '#/errors.ts'
import { collected, pieceBytes } from '#/event-loop/pieces.ts'
import type { Stored } from '#/ports/mail-host.ts'

/** Large messages in memory at once, from fetch to answer: each takes two or three times its size. */
const mostAtOnce = 4

/** Milliseconds for a client to read an answer; each `slowestBytes` add a second. */
const patience = 60_000
const slowestBytes = 256 * 1024

/** Fetches whole messages. Large ones wait for a slot, which bounds the memory. */
export class LargeMessages {
  #free = mostAtOnce
  readonly #waiting: (() => void)[] = []

  /** The message's bytes; the slot is freed when `reply` has been sent. */
  async fetch({ summary: { sizeBytes }, pieces }: Stored, reply: FastifyReply): Promise<Buffer> {
    if (sizeBytes > pieceBytes) await this.#enter(reply, sizeBytes)
    return collected(pieces(), sizeBytes)
  }

  async #enter({ raw: response }: FastifyReply, size: number): Promise<void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((enter) => this.#waiting.push(enter))
    // The client has disconnected.
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
