import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '#/base/audit/actor.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Refusal } from '#/base/errors.ts'
import { type Answer, answerOnce } from '#/http/answers/idempotency.ts'
import { suppressed } from '#/out/suppressions/suppression.ts'
import { oneLargeAtATime } from './large-messages.ts'
import type { Outgoing } from './outgoing.ts'
import { type Sender, senderFor } from './sender.ts'

export interface ReadyMessage {
  readonly id: string
  readonly messageId: string
  readonly raw: Buffer
}

/** Operations of the outbound queue for a request. */
interface Dispatch<Ready> {
  /** Composes and signs. */
  prepare(organizationId: string, sender: Sender, outgoing: Outgoing): Promise<Ready>
  prepareAll(
    organizationId: string,
    messages: readonly { readonly sender: Sender; readonly outgoing: Outgoing }[],
  ): Promise<readonly Ready[]>
  enqueue(tx: Tx, ready: Ready, by: Actor): Promise<readonly string[]>
  enqueueAll(tx: Tx, ready: readonly Ready[], by: Actor): Promise<readonly (readonly string[] | Refusal)[]>
  wake(): void
}

export interface SendDependencies<Ready> {
  readonly db: Db
  readonly dispatch: Dispatch<Ready>
}

/** Sends a message for a request, and answers it. `also` is done in the same transaction. */
export async function sendOnce<Ready extends ReadyMessage>(
  { db, dispatch }: SendDependencies<Ready>,
  request: FastifyRequest,
  reply: FastifyReply,
  message: Outgoing,
  also?: (tx: Tx, id: string) => Promise<void>,
): Promise<void> {
  const { caller, organizationId } = request
  const sender = await senderFor(db, caller, message.from)
  const ready = await dispatch.prepare(organizationId, sender, message)
  const store = async (tx: Tx): Promise<Answer> => {
    await also?.(tx, ready.id)
    const refused = await dispatch.enqueue(tx, ready, request.actor)
    return { status: 202, body: queuedAs(ready, refused) }
  }
  await oneLargeAtATime(ready.raw.length, () => answerOnce(db, request, reply, store))
  dispatch.wake()
}

/** The answer for a queued message. Nothing is sent to refused recipients. */
export function queuedAs({ id, messageId }: ReadyMessage, refused: readonly string[]) {
  const because = refused.map((address) => ({ address, reason: suppressed }))
  return { id, message_id: messageId, status: 'queued', ...(refused.length > 0 && { refused: because }) }
}
