import type { Actor } from '#/audit/actor.ts'
import type { Db, Tx } from '#/db/schema.ts'
import type { App } from '#/http/app-type.ts'
import { type Answer, answerOnce } from '#/http/idempotency.ts'
import { Id, OneOf } from '#/http/shared-schemas.ts'
import { Type } from '#/http/type.ts'
import { oneLargeAtATime } from './large-messages.ts'
import { type Outgoing, outgoing } from './outgoing.ts'
import { bodyLimit, SendRequest } from './schemas.ts'
import { type Sender, senderFor } from './sender.ts'

const Sent = Type.Object({
  id: Id,
  message_id: Type.String({
    description: 'The Message-ID that the message bears, as replies to it name it.',
    examples: ['<0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55@example.com>'],
  }),
  status: OneOf(['queued']),
})

/** What the outbound queue does for a request. */
interface Dispatch<Ready> {
  /** Composes and signs. */
  prepare(organizationId: string, sender: Sender, outgoing: Outgoing): Promise<Ready>
  enqueue(tx: Tx, ready: Ready, by: Actor): Promise<void>
  wake(): void
}

/** `POST /v1/send`. */
export function sendingRoutes<Ready extends { readonly id: string; readonly messageId: string; readonly raw: Buffer }>(
  app: App,
  { db, dispatch }: { db: Db; dispatch: Dispatch<Ready> },
): void {
  app.post(
    '/v1/send',
    {
      bodyLimit,
      config: { scope: 'sending:write', noun: 'Sending', errors: ['not_found', 'quota_exceeded', 'mail_unavailable'] },
      schema: {
        summary: 'Send a message',
        description:
          'The message is signed with the DKIM keys of its domain, stored in Sent, and tried for up to five days. A notice ' +
          "in the sender's inbox names the recipients that were not reached. Each recipient counts against the day's " +
          'allowance, also one who refuses. `from` is a Smart mailbox of the organization, by its address or an alias. At ' +
          'least one of `text` and `html` is needed; with both, each mail program shows the one that it can.',
        body: SendRequest,
        response: { 202: Sent },
      },
    },
    async (request, reply) => {
      const { caller, organizationId } = request
      const message = outgoing(caller, request.body)
      const sender = await senderFor(db, caller, message.from)
      const ready = await dispatch.prepare(organizationId, sender, message)
      const body = { id: ready.id, message_id: ready.messageId, status: 'queued' }
      const store = async (tx: Tx): Promise<Answer> => {
        await dispatch.enqueue(tx, ready, request.actor)
        return { status: 202, body }
      }
      await oneLargeAtATime(ready.raw.length, () => answerOnce(db, request, reply, store))
      dispatch.wake()
      return reply
    },
  )
}
