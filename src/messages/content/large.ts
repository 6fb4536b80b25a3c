import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { notFound } from '#/errors.ts'
import { collected, pieceBytes } from '#/event-loop/pieces.ts'
import { Slots } from '#/event-loop/slots.ts'
import type { Stored } from '#/ports/mail-host.ts'

/** Milliseconds for a client to read an answer; each `slowestBytes` add a second. */
const patience = 60_000
const slowestBytes = 256 * 1024

/** Fetches whole messages. Large ones wait for a slot, which bounds the memory: each takes two or three times its size. */
export class LargeMessages {
  readonly #slots = new Slots(4)
  /** Answers that have one. */
  readonly #entered = new WeakSet<ServerResponse>()

  /** The message's bytes; the slot is freed when `reply` has been sent. */
  async fetch(stored: Stored, reply: FastifyReply): Promise<Buffer> {
    if (isLarge(stored) && !this.#entered.has(reply.raw)) await this.#enter(reply, stored.summary.sizeBytes)
    return bytesOf(stored)
  }

  /** The result of `work` on the message's bytes. The slot is released when the work has ended. */
  async read<T>(stored: Stored, work: (raw: Buffer) => Promise<T>): Promise<T> {
    using _slot = isLarge(stored) ? await this.#slots.enter() : undefined
    return await work(await bytesOf(stored))
  }

  async #enter({ raw: response }: FastifyReply, size: number): Promise<void> {
    const slot = await this.#slots.enter()
    // The client has disconnected.
    if (response.closed) {
      slot[Symbol.dispose]()
      throw notFound('message')
    }
    this.#entered.add(response)
    const cut = setTimeout(() => response.destroy(), patience + (size / slowestBytes) * 1000).unref()
    response.once('close', () => {
      clearTimeout(cut)
      slot[Symbol.dispose]()
    })
  }
}

const isLarge = ({ summary }: Stored) => summary.sizeBytes > pieceBytes
const bytesOf = ({ summary, pieces }: Stored) => collected(pieces(), summary.sizeBytes)
