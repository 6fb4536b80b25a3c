import type { FastifyRequest } from 'fastify'
import { placesAfter } from '#/changes/part.ts'
import { recordedAtOnce } from '#/changes/record.ts'
import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import { answerIn, noteProgress } from '#/http/answers/claimed-key.ts'
import { ok } from '#/http/answers/idempotency.ts'
import type { MailboxRef } from '#/mail/mailbox-ref.ts'
import { updateNamed } from '#/mail/named/update.ts'
import { idsAt, readSummaries } from '#/mail/read.ts'
import type { Recording } from '#/mail/recording.ts'
import { type Change, type Place, updateMessages } from '#/mail/update.ts'
import { idsShown } from '../find.ts'
import { assertKeywordsKnown } from './change.ts'

interface Parts {
  readonly db: Db
}

/** Changes a message, and answers where it is then. A repetition of the request learns that from `progressOf`. */
export async function changeOne(
  { db }: Parts,
  request: FastifyRequest,
  mailbox: MailboxRef,
  { name, uid, change }: { readonly name: string; readonly uid: number; readonly change: Change },
): Promise<Place | undefined> {
  const { caller, actor } = request
  if ((await readSummaries(db, mailbox, name, [uid])).length === 0) throw notFound('message')
  await assertKeywordsKnown(db, caller, change)
  const noting: Recording = {
    settle: async (tx, did) => {
      const place = placesAfter(did).get(uid)
      if (place) await noteProgress(tx, request, place)
    },
  }
  return (await updateMessages(db, mailbox, name, [uid], change, actor, noting)).get(uid)
}

/** Changes a message that is named by its id. */
export async function changeNamed(
  { db }: Parts,
  request: FastifyRequest,
  { id, change }: { readonly id: string; readonly change: Change },
): Promise<void> {
  const { caller, actor } = request
  await assertKeywordsKnown(db, caller, change)
  await updateNamed(db, caller.organizationId, [id], change, actor, {
    settled: async (tx, places) => {
      const place = places.get(id)
      if (place) await noteProgress(tx, request, place)
    },
  })
}

/** Changes messages of a folder, and records that. The answer is stored with the record. */
export async function changeMany(
  { db }: Parts,
  request: FastifyRequest,
  mailbox: MailboxRef,
  { name, uids, change }: { readonly name: string; readonly uids: readonly number[]; readonly change: Change },
) {
  const { organizationId, mailboxId } = mailbox
  const wanted = [...new Set(uids)].sort((a, b) => a - b)
  const recording = recordedAtOnce({ organizationId, mailboxes: [mailboxId], kind: 'messages', by: request.actor })
  let ids: ReadonlyMap<number, string> = new Map()
  const answerWith = (places: ReadonlyMap<number, Place>) => ({
    change_id: recording.changeId ?? null,
    ...foundAmong(wanted, places),
    moved: wanted.flatMap((uid) => {
      const { folder = name, uid: new_uid = uid } = places.get(uid) ?? {}
      const id = ids.get(new_uid)
      return id !== undefined && folder !== name ? [{ id, uid, new_uid }] : []
    }),
  })
  const answering: Recording = {
    async settle(tx, did) {
      await recording.settle(tx, did)
      const moved = did.target.name === name ? [] : did.pairs.map(({ after }) => after.uid)
      if (moved.length > 0) ids = await idsAt(tx, mailbox, did.target.key, moved)
      await answerIn(tx, request, ok(answerWith(placesAfter(did))))
    },
  }
  return answerWith(await updateMessages(db, mailbox, name, wanted, change, request.actor, answering))
}

/** The same of messages that are named by their ids, wherever they are. */
export async function changeManyNamed(
  parts: Parts,
  request: FastifyRequest,
  { ids, change }: { readonly ids: readonly string[]; readonly change: Change },
) {
  const { caller, actor } = request
  const { organizationId } = caller
  const wanted = [...new Set(ids)]
  const shown = await idsShown(parts, caller, 'change', wanted)
  const mailboxes = [...new Set([...shown.values()].map(({ mailboxId }) => mailboxId))]
  const recording = recordedAtOnce({ organizationId, mailboxes, kind: 'messages', by: actor })
  const answerWith = (places: ReadonlyMap<string, Place>) => ({
    change_id: recording.changeId ?? null,
    ...foundAmong(wanted, places),
    moved: [],
  })
  const places = await updateNamed(parts.db, organizationId, [...shown.keys()], change, actor, {
    settle: recording.settle,
    settled: (tx, places) => answerIn(tx, request, ok(answerWith(places))),
  })
  return answerWith(places)
}

function foundAmong<T>(wanted: readonly T[], places: ReadonlyMap<T, Place>) {
  return { updated: wanted.filter((one) => places.has(one)), not_found: wanted.filter((one) => !places.has(one)) }
}
