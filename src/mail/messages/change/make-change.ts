import type { FastifyRequest } from 'fastify'
import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { publicId } from '#/base/text/message-id.ts'
import { answerIn, noteProgress } from '#/http/answers/claimed-key.ts'
import { ok } from '#/http/answers/idempotency.ts'
import { recordedAtOnce } from '#/mail/changes/record.ts'
import type { Change } from '#/mail/store/change.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { updateNamed } from '#/mail/store/named/update.ts'
import { readSummaries } from '#/mail/store/read.ts'
import { type Place, updateIn } from '#/mail/store/update.ts'
import { idsShown } from '../find.ts'
import { assertKeywordsKnown } from './change.ts'

interface Dependencies {
  readonly db: Db
}

/** Changes a message, and answers where it is then. A repetition of the request learns that from `progressOf`. */
export async function changeOne(
  { db }: Dependencies,
  request: FastifyRequest,
  mailbox: MailboxRef,
  { name, uid, change }: { readonly name: string; readonly uid: number; readonly change: Change },
): Promise<Place | undefined> {
  const { caller, actor } = request
  if ((await readSummaries(db, mailbox, name, [uid])).length === 0) throw notFound('message')
  await assertKeywordsKnown(db, caller, change)
  return await db.transaction().execute(async (tx) => {
    const place = (await updateIn(tx, { mailbox, name }, [uid], change, actor)).places.get(uid)
    if (place) await noteProgress(tx, request, place)
    return place
  })
}

/** Changes a message that is named by its id. */
export async function changeNamed(
  { db }: Dependencies,
  request: FastifyRequest,
  { id, change }: { readonly id: string; readonly change: Change },
): Promise<void> {
  const { caller, actor } = request
  await assertKeywordsKnown(db, caller, change)
  await updateNamed(db, caller.organizationId, [id], change, {
    by: actor,
    async settled(tx, { places }) {
      const place = places.get(id)
      if (place) await noteProgress(tx, request, place)
    },
  })
}

/** Changes messages of a folder, and records that. The answer is stored with the record. */
export async function changeMany(
  { db }: Dependencies,
  request: FastifyRequest,
  mailbox: MailboxRef,
  { name, uids, change }: { readonly name: string; readonly uids: readonly number[]; readonly change: Change },
) {
  const { organizationId, mailboxId } = mailbox
  const wanted = [...new Set(uids)].sort((a, b) => a - b)
  const recording = recordedAtOnce({ organizationId, mailboxes: [mailboxId], kind: 'messages', by: request.actor })
  return await db.transaction().execute(async (tx) => {
    const done = await updateIn(tx, { mailbox, name }, wanted, change, request.actor, recording)
    const moved = wanted.flatMap((uid) => {
      const [id, place] = [done.ids.get(uid), done.places.get(uid)]
      return id === undefined || !place ? [] : [{ id: publicId(id), uid, new_uid: place.uid }]
    })
    const answer = { ...changedAmong(wanted, done.places, done.recorded), moved }
    await answerIn(tx, request, ok(answer))
    return answer
  })
}

/** The same of messages that are named by their ids, wherever they are. */
export async function changeManyNamed(
  parts: Dependencies,
  request: FastifyRequest,
  { ids, change }: { readonly ids: readonly string[]; readonly change: Change },
) {
  const { caller, actor } = request
  const { organizationId } = caller
  const wanted = [...new Set(ids)]
  const shown = await idsShown(parts, caller, 'change', wanted)
  const mailboxes = [...new Set([...shown.values()].map(({ mailboxId }) => mailboxId))]
  const recording = recordedAtOnce({ organizationId, mailboxes, kind: 'messages', by: actor })
  return await updateNamed(parts.db, organizationId, [...shown.keys()], change, {
    ...{ by: actor, recording },
    async settled(tx, { places, recorded }) {
      const answer = { ...changedAmong(wanted, places, recorded), moved: [] }
      await answerIn(tx, request, ok(answer))
      return answer
    },
  })
}

/** `changeId` is what `recordedAtOnce` answers. */
function changedAmong<T>(wanted: readonly T[], places: ReadonlyMap<T, Place>, changeId: unknown) {
  return {
    change_id: changeId as string | null,
    updated: wanted.filter((one) => places.has(one)),
    not_found: wanted.filter((one) => !places.has(one)),
  }
}
