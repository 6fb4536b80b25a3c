import type { Actor } from '#/base/audit/actor.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { isUnavailable } from '#/base/db/unavailable.ts'
import { mailUnavailable, unlessDeleted } from '#/base/errors.ts'
import { Mutex } from '#/base/event-loop/mutex.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { LargeMessages } from '#/mail/messages/large.ts'
import { storeDraft } from '#/mail/store/drafts.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { oneLargeAtATime } from '#/out/sending/large-messages.ts'
import { outdate } from './approvals/approvals.ts'
import { type DraftContent, readDraft } from './content.ts'
import { type Asker, type DraftBox, findDraft, stale } from './find.ts'
import { draftMessageId } from './identity.ts'
import { forgetMade, noteMade } from './made.ts'
import { presentDraft } from './present.ts'
import type { DraftOut } from './schemas.ts'

export interface DraftDependencies {
  readonly db: Db
  readonly idKey: IdHashKey
  readonly reader: MessageReader
  readonly large: LargeMessages
  readonly time: SharedTime
  /** Composes a message that may be unfinished (src/out/compose/draft.ts). */
  readonly composeDraft: (
    draft: DraftContent,
    identity: { readonly messageId: string; readonly date: Date },
  ) => Promise<Buffer>
}

interface Saving {
  readonly key: string
  readonly content: DraftContent
  /** The messages that it replaces. */
  readonly replaces: readonly number[]
  readonly by: Actor
  readonly stored: Stored
}

/** Called in the transaction that stores a draft. */
export type Stored = (tx: Tx, draft: DraftOut) => Promise<void>

/** Stores a draft. Undefined, with nothing changed, if the message that it replaces is deleted. */
export async function saveDraft(
  { db, idKey, reader, time, composeDraft }: DraftDependencies,
  box: DraftBox,
  { key, content, replaces, by, stored }: Saving,
): Promise<DraftOut | undefined> {
  const savedAt = await time(db)
  const raw = await composeDraft(content, { messageId: draftMessageId(key, box.domain), date: savedAt })
  const message = await reader.message(raw)
  const opened = { box, key, isOurs: true, savedAt, message, content: await reader.content(raw) }
  let shown: DraftOut | undefined
  const record = async (tx: Tx, uid: number, id: string) => {
    await noteMade(tx, box, { key, uid, replaces })
    shown = presentDraft({ ...opened, uid, id })
    await stored(tx, shown)
  }
  const draft = { message, savedAt, replaces, record }
  const uid = await oneLargeAtATime(raw.length, () => storeDraft(db, idKey, box, draft, by))
  return uid === undefined ? undefined : shown
}

interface Editing {
  readonly id: string
  readonly version: number | undefined
  readonly by: Actor
}

/** Replaces a draft by the result of `change`.
 *  @throws Refusal `conflict`, with nothing changed, if it has another version than the one that is known */
export async function editDraft(
  parts: DraftDependencies,
  asker: Asker,
  { by, stored, ...named }: Editing & { readonly stored: Stored },
  change: (draft: DraftContent) => DraftContent,
): Promise<DraftOut> {
  const holder = { organization: asker.caller.organizationId, key: asker.caller.memberId ?? '' }
  return oneAtATime(named.id, async () => {
    // Each failure is the success of another writer, in another process.
    for (let tries = 1; ; tries++) {
      const { box, key, uids, isOurs, stored: now } = await findDraft(parts, asker, 'send', named)
      const before = await parts.large
        .read(now, holder, (raw) => readDraft(parts.reader, raw, isOurs))
        .catch(unlessDeleted)
      const saved =
        before && (await saveDraft(parts, box, { key, content: change(before), replaces: uids, by, stored }))
      if (saved) {
        await parts.db.transaction().execute((tx) => outdate(tx, box, key, saved.version - 1))
        return saved
      }
      if (named.version !== undefined) throw stale()
      if (tries === mostWrites) throw mailUnavailable('a draft was replaced again and again')
    }
  })
}

/** How often a draft is tried that other processes replace meanwhile. */
const mostWrites = 100

/** By the draft's id. */
const writers = new Map<string, Mutex>()

/** Has writers of a draft in this process wait for each other, so that none reads what another replaces meanwhile. */
export async function oneAtATime<T>(id: string, work: () => Promise<T>): Promise<T> {
  const mutex = writers.get(id) ?? new Mutex(isUnavailable)
  writers.set(id, mutex)
  try {
    return await mutex.run(work)
  } finally {
    if (mutex.pending === 0) writers.delete(id)
  }
}

/** Deletes a draft for good. `deleted` is called in the transaction that does. @throws Refusal `conflict` if it has another version than the one that is known */
export async function deleteDraft(
  parts: DraftDependencies,
  asker: Asker,
  { by, deleted, ...named }: Editing & { readonly deleted: (tx: Tx) => Promise<void> },
): Promise<void> {
  await oneAtATime(named.id, async () => {
    for (let tries = 1; ; tries++) {
      const { box, key, uid, uids } = await findDraft(parts, asker, 'send', named)
      const gone = await expungeMessages(parts.db, box, 'drafts', uids, by, async (tx, some) => {
        if (some.length > 0) await deleted(tx)
      })
      if (gone.length === 0 && tries === mostWrites) throw mailUnavailable('a draft was replaced again and again')
      if (gone.length === 0) continue
      await parts.db.transaction().execute(async (tx) => {
        await outdate(tx, box, key, uid)
        await forgetMade(tx, box, uids)
      })
      return
    }
  })
}
