import type { Logger } from 'pino'
import type { Actor } from '#/audit/actor.ts'
import type { Tx } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import { collected } from '#/event-loop/pieces.ts'
import type { App } from '#/http/app-type.ts'
import { replayed } from '#/http/idempotency.ts'
import { timestamp } from '#/http/timestamp.ts'
import { scheduling } from '#/scheduled/schedule-once.ts'
import { Accepted } from '#/scheduled/schemas.ts'
import type { SealingKey } from '#/secrets/seal.ts'
import type { Composer } from '#/sending/composer.ts'
import { Sent } from '#/sending/schemas.ts'
import { type ReadyMessage, type SendParts, sendOnce } from '#/sending/send.ts'
import { readDraft } from './content.ts'
import { type Found, findDraft } from './find.ts'
import type { DraftParts } from './save.ts'
import { ByDraft, SendDraft } from './schemas.ts'
import { finished, sendingBody } from './send.ts'
import { noteRemoved, noteSent } from './sent.ts'

export interface SendingParts<Ready> extends SendParts<Ready> {
  readonly composer: Composer
  /** Seals messages in the queue. */
  readonly mailKey: SealingKey
}

/** Sends a draft, now or later. */
export function sendRoute<Ready extends ReadyMessage>(app: App, parts: DraftParts & SendingParts<Ready>): void {
  const { db, reader } = parts
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
        description:
          'As `POST /v1/send` sends a message, or with `send_at` as `POST /v1/scheduled` schedules one. What is unfinished is ' +
          '`invalid_request`, with its field, and the draft stays. Otherwise it leaves the folder, and no repetition sends it ' +
          'twice.',
        params: ByDraft,
        body: SendDraft,
        response: { 201: Accepted, 202: Sent },
      },
    },
    async (request, reply) => {
      if (await replayed(db, request, reply)) return reply
      const { caller, params, body } = request
      const sendAt = body.send_at === undefined ? undefined : timestamp(body.send_at, 'send_at')
      try {
        const found = await findDraft(parts, caller, 'send', { ...params, version: body.version })
        const { stored, box } = found
        const draft = await readDraft(reader, await collected(stored.pieces(), stored.summary.sizeBytes))
        const sending = sendingBody(draft)
        const message = finished(caller, draft, sending)
        const also = async (tx: Tx) => {
          if (!(await noteSent(tx, box, found))) throw notFound('draft')
        }
        if (sendAt) await schedule(request, reply, { body: sending, message, sendAt, also })
        else await sendOnce(parts, request, reply, message, also)
        await removeSent(parts, found, request.actor, request.log)
      } catch (error) {
        // The first request with this Idempotency-Key may have sent it meanwhile.
        if (reply.sent || !(await replayed(db, request, reply))) throw error
      }
      return reply
    },
  )
}

/** Removes what was sent from the folder. If the mail host does not answer, a worker does so later. */
async function removeSent(
  { db, mailHost }: DraftParts,
  { box, key, uids }: Found,
  by: Actor,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  try {
    await mailHost.expunge(box, 'drafts', uids, by)
    await noteRemoved(db, box, key)
  } catch (err) {
    log.warn({ err }, 'a draft that was sent could not be removed from its folder yet')
  }
}
