import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { FairShare, type Holder, type Share } from '#/base/event-loop/fair-share.ts'
import type { App } from '../app-type.ts'
import { lacking, shareUntilAnswered } from '../rate/budgets.ts'

/** Octets for all answers that are being made or sent. */
const all = 256 << 20
/** Octets of an answer that needs no part of it: its connection takes as much. */
const small = 64 * 1024
/** Milliseconds for a client to read an answer; each `slowestBytes` add a second. */
const patience = 60_000
const slowestBytes = 256 * 1024

/** Memory for answers, from the time at which they are made until the client has read them. A client that reads too slowly is
 *  disconnected. */
export class AnswerMemory {
  readonly #octets = new FairShare({ all, waiting: 100, patience: 30_000 })
  /** Of answers that have a part. */
  readonly #shares = new WeakMap<ServerResponse, Share>()

  /** Waits for memory for a large answer, and for what it is made of, before it is made. What the answer does not take is given back
   *  once it is made. @throws Refusal */
  async reserve(reply: FastifyReply, octets: number): Promise<void> {
    if (octets <= small || this.#shares.has(reply.raw)) return
    const share = await shareUntilAnswered(this.#octets, reply, octets, 'Too many large answers at this moment')
    this.#shares.set(reply.raw, share)
  }

  /** The result of work with so many octets that are needed no longer than the work takes. @throws Refusal */
  async during<T>(holder: Holder, octets: number, work: () => Promise<T>): Promise<T> {
    if (octets <= small) return await work()
    using share = await this.#octets.enter(holder, octets)
    if (!share) throw lacking('Too many large messages are being read at this moment')
    return await work()
  }

  /** Counts every large answer that is made for its request, and disconnects clients that do not read theirs. */
  watch(app: App): void {
    app.addHook('onSend', async (request, reply, payload) => {
      const size = sizeOf(payload, reply)
      const share = this.#shares.get(reply.raw)
      if (size <= small) {
        share?.shrink(0)
        return payload
      }
      if (share) share.shrink(size)
      // Octets without a key or member are files, which all answers share.
      else if (request.organizationId || typeof payload === 'string') await this.#enter(reply, size)
      const cut = setTimeout(() => reply.raw.destroy(), patience + (size / slowestBytes) * 1_000).unref()
      reply.raw.once('close', () => clearTimeout(cut))
      return payload
    })
  }

  /** An answer that is made waits too. It is sent in any case: the request may have changed something. */
  async #enter(reply: FastifyReply, octets: number): Promise<void> {
    await this.reserve(reply, octets).catch((error) => {
      if (reply.request.method === 'GET') throw error
    })
  }
}

/** Octets of an answer; of a stream as many as it says. */
function sizeOf(payload: unknown, reply: FastifyReply): number {
  if (typeof payload === 'string' || payload instanceof Uint8Array) return payload.length
  return Number(reply.getHeader('content-length') ?? 0)
}
