import type { FastifyRequest } from 'fastify'
import { placesAfter } from '#/changes/part.ts'
import { movesOf } from '#/changes/queries.ts'
import { recordedAtOnce } from '#/changes/record.ts'
import { settleMoves } from '#/changes/settle-moves.ts'
import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import { answerIn, noteProgress, progressOf } from '#/http/answers/claimed-key.ts'
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
    intend: async () => {},
    settle: async (tx, did) => {
      const place = placesAfter(did).get(uid)
      if (place) await noteProgress(tx, request, place)
    },
  }
  return (await mailHost.update(mailbox, name, [uid], change, actor, noting)).get(uid)
}

/** A change that a process had recorded when it died. */
interface Begun {
  readonly changeId: string
}

/** Changes messages of a folder, and records that. The answer is stored with the record. On a host without transactions, where a process may
 *  have died between the change and that, a repetition of the request goes on with the change that it had begun. */
export async function changeMany(
  parts: Parts,
  request: FastifyRequest,
  mailbox: MailboxRef,
  { name, uids, change }: { readonly name: string; readonly uids: readonly number[]; readonly change: Change },
) {
  const { db, mailHost } = parts
  const { organizationId, mailboxId } = mailbox
  const wanted = [...new Set(uids)].sort((a, b) => a - b)
  const begun = progressOf<Begun>(request)
  const moved = begun ? await movedBefore(parts, mailbox, begun) : new Map<number, number>()
  const left = wanted.filter((uid) => !moved.has(uid))
  const recording = recordedAtOnce(
    db,
    { organizationId, mailboxes: [mailboxId], kind: 'messages', by: request.actor },
    begun?.changeId,
  )
  const answerWith = (places: ReadonlyMap<number, Place>) => ({
    change_id: recording.changeId ?? (moved.size > 0 ? recording.id : null),
    updated: wanted.filter((uid) => moved.has(uid) || places.has(uid)),
    not_found: wanted.filter((uid) => !moved.has(uid) && !places.has(uid)),
    moved: wanted.flatMap((uid) => {
      const place = places.get(uid)
      const now = moved.get(uid) ?? (place && place.folder !== name ? place.uid : undefined)
      return now === undefined ? [] : [{ uid, new_uid: now }]
    }),
  })
  if (left.length === 0) return answerWith(new Map())
  const answering: Recording = {
    async intend(did, moving) {
      await noteProgress(db, request, { changeId: recording.id })
      await recording.intend(did, moving)
    },
    async settle(tx, did) {
      await recording.settle(tx, did)
      await answerIn(tx, request, ok(answerWith(placesAfter(did))))
    },
  }
  return answerWith(await mailHost.update(mailbox, name, left, change, request.actor, answering))
}

/** What a change that was begun has moved, by the former uids. */
async function movedBefore({ db, mailHost }: Parts, { organizationId }: MailboxRef, { changeId }: Begun) {
  await settleMoves({ db, mailHost }, { organizationId, changeId })
  return await movesOf(db, organizationId, changeId)
}
