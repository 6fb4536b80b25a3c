import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '#/audit/actor.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { type Answer, answerOnce } from '#/http/idempotency.ts'
import { suppressed } from '#/suppressions/suppression.ts'
import { oneLargeAtATime } from './large-messages.ts'
import type { Outgoing } from './outgoing.ts'
import { type Sender, senderFor } from './sender.ts'

export interface ReadyMessage {
  readonly id: string
  readonly messageId: string
  readonly raw: Buffer
}

/** What the outbound queue does for a request. */
interface Dispatch<Ready> {
  /** Composes and signs. */
  prepare(organizationId: string, sender: Sender, outgoing: Outgoing): Promise<Ready>
  enqueue(tx: Tx, ready: Ready, by: Actor): Promise<readonly string[]>
  wake(): void
}

export interface SendParts<Ready> {
  readonly db: Db
  readonly dispatch: Dispatch<Ready>
}

/** Sends a message for a request, and answers it. `also` is done in the same transaction. */
export async function sendOnce<Ready extends ReadyMessage>(
  { db, dispatch }: SendParts<Ready>,
  request: FastifyRequest,
  reply: FastifyReply,
  message: Outgoing,
  also?: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { caller, organizationId } = request
  const sender = await senderFor(db, caller, message.from)
  const ready = await dispatch.prepare(organizationId, sender, message)
  const body = { id: ready.id, message_id: ready.messageId, status: 'queued' }
  const store = async (tx: Tx): Promise<Answer> => {
    await also?.(tx)
    const refused = await dispatch.enqueue(tx, ready, request.actor)
    const because = refused.map((address) => ({ address, reason: suppressed }))
    return { status: 202, body: { ...body, ...(refused.length > 0 && { refused: because }) } }
  }
  await oneLargeAtATime(ready.raw.length, () => answerOnce(db, request, reply, store))
  dispatch.wake()
}
