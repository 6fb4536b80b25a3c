import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import { beginChange, recordedAtOnce, stepOf } from '#/mail/changes/record.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { copy } from '#test/world/letters/letters.ts'
import { newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import type { Change } from './change.ts'
import { updateIn } from './update.ts'

const { db } = await databaseOfFile()

type State = { readonly seen: boolean; readonly flagged: boolean; readonly keywords: readonly string[] }

const states: State[] = [true, false].flatMap((seen) =>
  [true, false].flatMap((flagged) => {
    return [[], ['work'], ['home', 'work']].map((keywords) => ({ seen, flagged, keywords }))
  }),
)
/** All but the last. */
const uids = states.slice(1).map((_, index) => index + 1)

for (const change of [
  { flagged: true },
  { flagged: false },
  { seen: true },
  { seen: false },
  { seen: true, flagged: true },
  { addKeywords: ['home'] },
  { removeKeywords: ['work'] },
  { addKeywords: ['Zeta', 'alpha', 'home'], removeKeywords: ['WORK'] },
  { seen: true, flagged: false, addKeywords: ['paid'] },
  {},
  { folder: 'archive' },
  { folder: 'archive', seen: true, addKeywords: ['home'], removeKeywords: ['work'] },
] satisfies Change[]) {
  for (const [what, recordingOf] of [
    ['at once', (change) => recordedAtOnce({ ...change, kind: 'messages' })],
    ['in a step', async (change) => stepOf(await beginChange(db, { ...change, kind: 'filters' }))],
  ] satisfies [string, (change: Omit<Parameters<typeof beginChange>[1], 'kind'>) => unknown][])
    test(`a change recorded ${what} leaves what it says, its events and the way back: ${JSON.stringify(change)}`, async () => {
      const mailbox = await newMailbox(db, 'ada')
      const { organizationId, mailboxId } = mailbox
      await storeCopies(
        db,
        states.map((marks) => copy(mailbox, { ...marks, keywords: [...marks.keywords] })),
      )
      const recording = await recordingOf({ organizationId, mailboxes: [mailboxId], by: byOperator })
      const at = { mailbox, name: 'inbox' }
      // One that is not there too.
      const { recorded, places } = await db
        .transaction()
        .execute((tx) => updateIn(tx, at, [...uids, 99], change, byOperator, recording))
      assert.deepEqual([...places.keys()], uids)
      assert.deepEqual(await leftBehind(mailboxId, change.folder ?? 'inbox', recorded), expected(change))
    })
}

type Difference = Record<'seen' | 'flagged', boolean | null> & Record<'added' | 'removed', readonly string[]>
type Expected = {
  readonly uid: number
  readonly after: State
  readonly isSame: boolean
  readonly difference: Difference
}

/** What a change makes of each message, and what differs. */
function expected({ folder, seen, flagged, addKeywords = [], removeKeywords = [] }: Change) {
  const lower = (keywords: readonly string[]) => keywords.map((keyword) => keyword.toLowerCase())
  const all = states.flatMap((before, index): Expected[] => {
    const uid = index + 1
    const same: Difference = { seen: null, flagged: null, added: [], removed: [] }
    // Not named, so it stays, also where it is.
    if (!uids.includes(uid)) return folder === undefined ? [{ uid, after: before, isSame: true, difference: same }] : []
    const kept = [...before.keywords, ...lower(addKeywords)].filter((one) => !lower(removeKeywords).includes(one))
    const after = { seen: seen ?? before.seen, flagged: flagged ?? before.flagged, keywords: [...new Set(kept)].sort() }
    const difference: Difference = {
      seen: after.seen === before.seen ? null : after.seen,
      flagged: after.flagged === before.flagged ? null : after.flagged,
      added: after.keywords.filter((one) => !before.keywords.includes(one)),
      removed: before.keywords.filter((one) => !after.keywords.includes(one)),
    }
    return [{ uid, after, isSame: folder === undefined && isDeepStrictEqual(difference, same), difference }]
  })
  const changed = all.filter(({ isSame }) => !isSame)
  const alike = Map.groupBy(changed, ({ difference }) => JSON.stringify(difference))
  return {
    messages: all.map(({ uid, after }) => ({ uid, ...after })),
    labels: all.flatMap(({ uid, after }) => after.keywords.map((keyword) => ({ uid, keyword, seen: after.seen }))),
    unread: all.filter(({ after }) => !after.seen).length,
    count: changed.length,
    parts: Array.from(alike.values(), (those) => {
      const uids = those.map(({ uid }) => uid)
      return { folder: folder ?? 'inbox', uids, from: folder ? ['inbox', uids] : [null, null], ...those[0]?.difference }
    }),
    events: changed.map(({ uid, difference: { seen, flagged, added, removed } }) => ({
      ...{ uid, folder: folder ?? 'inbox' },
      ...(folder && { moved_from: { uid, folder: 'inbox' } }),
      ...(seen !== null && { unread: !seen }),
      ...(flagged !== null && { starred: flagged }),
      ...(added.length > 0 && { added_labels: added }),
      ...(removed.length > 0 && { removed_labels: removed }),
    })),
  }
}

async function leftBehind(mailboxId: string, name: string, changeId: unknown): Promise<ReturnType<typeof expected>> {
  const all = async (statement: ReturnType<typeof sql>) => (await statement.execute(db)).rows
  const folder = sql`(select id from mail_folders where mailbox_id = ${mailboxId} and name = ${name})`
  const found = {
    messages: await all(
      sql`select uid, seen, flagged, keywords from mail_messages where folder_id = ${folder} order by uid`,
    ),
    labels: await all(
      sql`select uid, keyword, seen from mail_keywords where folder_id = ${folder} order by uid, keyword`,
    ),
    unread: await all(sql`select unread from mail_folders where id = ${folder}`),
    count: await all(sql`select messages from changes where id = ${changeId}`),
    parts: await all(sql`
      select folder, uids, jsonb_build_array(from_folder, from_uids) as from, seen, flagged, added, removed from change_parts
      where change_id = ${changeId} and folder_key = ${folder} order by uids`),
    events: await all(sql`
      select data - 'id' #- '{moved_from,id}' as data from events
      where mailbox_id = ${mailboxId} and type = 'message.changed' and actor_kind = 'operator' order by id`),
  }
  const [{ unread }, { messages: count } = { messages: 0 }] = [found.unread[0], found.count[0]] as [
    { unread: number },
    { messages: number }?,
  ]
  const events = (found.events as { data: unknown }[]).map(({ data }) => data)
  return { ...found, unread, count, events } as ReturnType<typeof expected>
}
