import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Actor } from '#/base/audit/actor.ts'
import type { Tx } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import { unlessReplayed } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { timestamp } from '#/http/schemas/timestamp.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { type SchedulingDependencies, scheduling } from '#/out/scheduled/schedule-once.ts'
import { Accepted } from '#/out/scheduled/schemas.ts'
import type { Outgoing } from '#/out/sending/outgoing.ts'
import { Sent } from '#/out/sending/schemas.ts'
import { type ReadyMessage, type SendDependencies, sendOnce } from '#/out/sending/send.ts'
import { outdate } from '../approvals/approvals.ts'
import { readDraft } from '../content.ts'
import type { Found } from '../find.ts'
import { openDraft } from '../open.ts'
import type { DraftDependencies } from '../save.ts'
import { ByDraft, SendDraft } from '../schemas.ts'
import { finished, sendingBody } from './send.ts'
import { noteRemoved, noteSent } from './sent.ts'

export interface SendingDependencies<Ready>
  extends SendDependencies<Ready>,
    Pick<SchedulingDependencies, 'composer' | 'mailKey' | 'isAnswered'> {}

/** Sends a draft, now or later. */
export function sendRoute<Ready extends ReadyMessage>(
  app: App,
  parts: DraftDependencies & SendingDependencies<Ready>,
): void {
  const { db } = parts
  const schedule = scheduling(app, parts)
  app.post(
    '/v1/drafts/:id/send',
    {
      config: {
        noun: 'Drafts',
        scope: 'sending:write',
        errors: ['not_found', 'conflict', 'quota_exceeded', 'mail_unavailable'],
      },
      schema: {
        summary: 'Send a draft',
        operationId: 'sendDraft',
        description:
          'Sends the draft as `POST /v1/send` sends a message, or with `send_at` as `POST /v1/scheduled` ' +
          'schedules one. If it is unfinished, the answer is `invalid_request` with the field, and the draft ' +
          'stays. Otherwise it leaves the folder, and no repetition sends it twice.',
        params: ByDraft,
        body: SendDraft,
        response: { 201: Accepted, 202: Sent },
      },
    },
    async (request, reply) => {
      const { params, body } = request
      const { version, unless_replied: unlessReplied = false } = body
      const sendAt = body.send_at === undefined ? undefined : timestamp(body.send_at, 'send_at')
      if (unlessReplied && !sendAt) throw invalid('unless_replied', 'unless_replied needs send_at')
      await unlessReplayed(db, request, reply, async () => {
        const found = await openDraft(parts, reply, 'send', { ...params, version })
        const later = sendAt && ((sending: Later) => schedule(request, reply, { ...sending, sendAt, unlessReplied }))
        await sendFound(parts, request, reply, found, { ...(later && { later }) })
      })
    },
  )
}

/** What schedules a message. */
interface Later {
  readonly body: ReturnType<typeof sendingBody>
  readonly message: Outgoing
  readonly also: (tx: Tx, id: string) => Promise<void>
}

/** Sends a draft for a request, and answers it. `also` runs in the same transaction. @throws Refusal if it is unfinished, or was
 *  sent meanwhile */
export async function sendFound<Ready extends ReadyMessage>(
  parts: DraftDependencies & SendingDependencies<Ready>,
  request: FastifyRequest,
  reply: FastifyReply,
  { raw, ...found }: Found & { readonly raw: Buffer },
  {
    later,
    also,
  }: { readonly later?: (sending: Later) => Promise<void>; readonly also?: (tx: Tx, id: string) => Promise<void> },
): Promise<void> {
  const { box, key } = found
  const draft = await readDraft(parts.reader, raw, found.isOurs)
  const body = sendingBody(draft)
  const message = finished(request.caller, draft, body)
  const together = async (tx: Tx, id: string) => {
    if (!(await noteSent(tx, box, found))) throw notFound('draft')
    await also?.(tx, id)
    await outdate(tx, box, key, found.uid)
  }
  if (later) await later({ body, message, also: together })
  else await sendOnce(parts, request, reply, message, together)
  await removeSent(parts, found, request.actor, request.log)
}

/** Removes a sent draft from the folder. If that fails, a worker does so later. */
async function removeSent(
  { db }: DraftDependencies,
  { box, key, uids }: Found,
  by: Actor,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  try {
    await expungeMessages(db, box, 'drafts', uids, by)
    await noteRemoved(db, box, key)
  } catch (err) {
    log.warn({ err }, 'a draft that was sent could not be removed from its folder yet')
  }
}
