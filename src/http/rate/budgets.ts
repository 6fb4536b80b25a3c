import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#/base/errors.ts'
import type { FairShare, Holder, Share } from '#/base/event-loop/fair-share.ts'

/** Who takes part of a budget by a request. Whoever has not signed in is known by the address. */
export function holderOf({ organizationId, actorId, clientAddress }: FastifyRequest): Holder {
  return { organization: organizationId || clientAddress, key: actorId || clientAddress }
}

/** Waits for a part of a budget for a request. @throws Refusal if there is none in time, which names what is short */
export async function shareFor(budget: FairShare, reply: FastifyReply, units: number, what: string): Promise<Share> {
  const gone = new AbortController()
  const leave = () => gone.abort()
  reply.raw.once('close', leave)
  if (reply.raw.destroyed) leave()
  const share = await budget.enter(holderOf(reply.request), units, gone.signal)
  reply.raw.off('close', leave)
  if (share) return share
  throw lacking(what)
}

/** There is no part of a budget left, whose name is in a sentence without a full stop. */
export function lacking(what: string): Refusal {
  return new Refusal('rate_limited', what, {
    fix: 'Send the request again after Retry-After, and fewer at a time',
    retryAfter: 5,
  })
}

/** The same, until the request is answered or its client has disconnected. @throws Refusal */
export async function shareUntilAnswered(...asked: Parameters<typeof shareFor>): Promise<Share> {
  const share = await shareFor(...asked)
  const { raw: response } = asked[1]
  if (response.closed) share[Symbol.dispose]()
  else response.once('close', () => share[Symbol.dispose]())
  return share
}
