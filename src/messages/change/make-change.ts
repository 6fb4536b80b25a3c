import type { FastifyRequest } from 'fastify'
import { placesAfter } from '#/changes/part.ts'
import { recordedAtOnce } from '#/changes/record.ts'
import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import { answerIn, noteProgress } from '#/http/answers/claimed-key.ts'
import { ok } from '#/http/answers/idempotency.ts'
import type { Change, MailboxRef, MailHost, Place } from '#/ports/mail-host.ts'
import type { Recording } from '#/ports/recording.ts'
import { assertKeywordsKnown } from './change.ts'

interface Parts {
  readonly db: Db
  readonly mailHost: MailHost
}

/** Changes a message, and answers where it is then. A repetition of the request learns that from `progressOf`. */
export async function changeOne(
  { db, mailHost }: Parts,
  request: FastifyRequest,
  mailbox: MailboxRef,
  { name, uid, change }: { readonly name: string; readonly uid: number; readonly change: Change },
): Promise<Place | undefined> {
  const { caller, actor } = request
  if ((await mailHost.summaries(mailbox, name, [uid])).length === 0) throw notFound('message')
  await assertKeywordsKnown(db, caller, change)
  const noting: Recording = {
    settle: async (tx, did) => {
      const place = placesAfter(did).get(uid)
      if (place) await noteProgress(tx, request, place)
    },
  }
  return (await mailHost.update(mailbox, name, [uid], change, actor, noting)).get(uid)
}

/** Changes messages of a folder, and records that. The answer is stored with the record. */
export async function changeMany(
  { mailHost }: Parts,
  request: FastifyRequest,
  mailbox: MailboxRef,
  { name, uids, change }: { readonly name: string; readonly uids: readonly number[]; readonly change: Change },
) {
  const { organizationId, mailboxId } = mailbox
  const wanted = [...new Set(uids)].sort((a, b) => a - b)
  const recording = recordedAtOnce({ organizationId, mailboxes: [mailboxId], kind: 'messages', by: request.actor })
  const answerWith = (places: ReadonlyMap<number, Place>) => ({
    change_id: recording.changeId ?? null,
    updated: wanted.filter((uid) => places.has(uid)),
    not_found: wanted.filter((uid) => !places.has(uid)),
    moved: wanted.flatMap((uid) => {
      const place = places.get(uid)
      return place && place.folder !== name ? [{ uid, new_uid: place.uid }] : []
    }),
  })
  const answering: Recording = {
    async settle(tx, did) {
      await recording.settle(tx, did)
      await answerIn(tx, request, ok(answerWith(placesAfter(did))))
    },
  }
  return answerWith(await mailHost.update(mailbox, name, wanted, change, request.actor, answering))
}
