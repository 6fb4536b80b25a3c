import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { type Answer, answerOnce, created, sendAnswer } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { Composer } from '#/out/sending/composer.ts'
import { oneLargeAtATime } from '#/out/sending/large-messages.ts'
import type { Outgoing } from '#/out/sending/outgoing.ts'
import type { SendingBody } from '#/out/sending/schemas.ts'
import { senderFor } from '#/out/sending/sender.ts'
import { draft, schedule } from './schedule.ts'
import { assertWithinWindow } from './send-at.ts'
import { isStored } from './unknown-commit.ts'

export interface SchedulingDependencies {
  readonly db: Db
  readonly time: SharedTime
  readonly composer: Composer
  /** Seals messages in the queue. */
  readonly mailKey: SealingKey
  /** Whether the mailbox has an answer to one of these messages. */
  readonly isAnswered: (mailbox: MailboxRef, ids: readonly string[]) => Promise<boolean>
}

interface Given {
  /** The recipients as they were written. */
  readonly body: Pick<SendingBody, 'to' | 'cc' | 'bcc'>
  readonly message: Outgoing
  readonly sendAt: Date
  readonly unlessReplied?: boolean
  /** Done in the same transaction. */
  readonly also?: (tx: Tx, id: string) => Promise<void>
}

function alreadyAnswered(): Refusal {
  const fix = 'Read the answer; to send the message all the same, leave out unless_replied'
  return invalid('unless_replied', 'Somebody has answered already', fix)
}

/** Returns a function that schedules a message for a request and answers it, until the app closes. */
export function scheduling(app: App, { db, time, composer, mailKey, isAnswered }: SchedulingDependencies) {
  const closing = new AbortController()
  app.addHook('onClose', async () => closing.abort())
  return async (request: FastifyRequest, reply: FastifyReply, { also, ...given }: Given): Promise<void> => {
    const { caller, organizationId, actorId } = request
    const { message: outgoing, sendAt, unlessReplied = false } = given
    const sender = await senderFor(db, caller, outgoing.from)
    const by = caller.memberId === null ? 'api_key' : 'member'
    const from = { ...sender, organizationId, by, byId: actorId } as const
    const one = await draft(composer, from, { body: given.body, outgoing, sendAt, unlessReplied })
    const named = [...outgoing.inReplyTo, ...outgoing.references]
    const answered = unlessReplied && (await isAnswered({ organizationId, mailboxId: sender.mailboxId }, named))
    let answer: Answer | undefined
    const store = async (tx: Tx): Promise<Answer> => {
      // Checked here, so that a repetition after `send_at` still gets the first answer.
      const now = await time(tx)
      assertWithinWindow(sendAt, now)
      if (answered) throw alreadyAnswered()
      await also?.(tx, one.id)
      const warnings = await schedule(tx, mailKey, one, now, request.actor)
      const accepted = { id: one.id, send_at: sendAt.toISOString(), status: 'pending', warnings }
      answer = created(`/v1/scheduled/${one.id}`, accepted)
      return answer
    }
    try {
      await oneLargeAtATime(one.raw.length, () => answerOnce(db, request, reply, store))
    } catch (error) {
      // A refused message is not stored. After an error at commit it may be: the answer must say which.
      if (!answer || error instanceof Refusal) throw error
      if (!(await isStored({ db, log: request.log, closing: closing.signal }, one))) throw error
      sendAnswer(reply, answer)
    }
  }
}
