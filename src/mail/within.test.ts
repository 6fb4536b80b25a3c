import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/audit/actor.ts'
import { beginChange, stepOf, stepWithin } from '#/changes/record.ts'
import { copy } from '#test/mail/letters.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import { folderStates } from './folders.ts'
import { readSummaries } from './read.ts'
import type { Recording } from './recording.ts'
import { type Change, updateMessages } from './update.ts'

const { db } = await databaseOfFile()

const states = [true, false].flatMap((seen) =>
  [true, false].flatMap((flagged) => {
    return [[], ['work'], ['work', 'home']].map((keywords) => ({ seen, flagged, keywords }))
  }),
)
const uids = states.map((_, index) => index + 1)

for (const change of [
  { flagged: true },
  { flagged: false },
  { seen: true },
  { seen: false },
  { seen: true, flagged: true },
  { addKeywords: ['home'] },
  { removeKeywords: ['work'] },
  { addKeywords: ['zeta', 'alpha', 'home'], removeKeywords: ['work'] },
  { seen: true, flagged: false, addKeywords: ['paid'] },
  {},
] satisfies Change[]) {
  test(`a record in the statement of a change is that of one after it: ${JSON.stringify(change)}`, async () => {
    const after = await changed(change, (changeId) => stepOf(changeId))
    const within = await changed(change, (changeId) => ({
      ...stepOf(changeId),
      within: {
        ctes: (mailbox, folder) =>
          sql`${stepWithin(changeId, mailbox, folder)}, recorded as (select id as record from change)`,
        recorded: (record) => assert.equal(record, changeId),
      },
    }))
    assert.deepEqual(within, after)
  })
}

test('what a record in the statement refuses is not done', async () => {
  const mailbox = await newMailbox(db, 'ada')
  await storeCopies(db, [copy(mailbox)])
  const before = await folderStates(db, mailbox)
  const refusing: Recording = {
    ...stepOf(randomUUID()),
    within: {
      ctes: () => sql`recorded as (select null as record)`,
      recorded: () => {
        throw new Error('No')
      },
    },
  }
  await assert.rejects(
    updateMessages(db, mailbox, 'inbox', [1], { flagged: true }, byOperator, refusing),
    /^Error: No$/,
  )
  assert.deepEqual(await folderStates(db, mailbox), before)
  assert.equal((await readSummaries(db, mailbox, 'inbox', [1]))[0]?.flagged, false)
})

/** All that a change leaves behind in a new mailbox with a message in each state. */
async function changed(change: Change, recordingOf: (changeId: string) => Recording) {
  const mailbox = await newMailbox(db, 'ada')
  await storeCopies(
    db,
    states.map((marks) => copy(mailbox, marks)),
  )
  const { organizationId, mailboxId } = mailbox
  const record = { organizationId, mailboxes: [mailboxId], kind: 'filters', by: byOperator } as const
  const changeId = await beginChange(db, record)
  // One that is not there too.
  await updateMessages(db, mailbox, 'inbox', [...uids, 99], change, byOperator, recordingOf(changeId))
  const all = async (statement: ReturnType<typeof sql>) => (await statement.execute(db)).rows
  const inbox = sql`(select id from mail_folders where mailbox_id = ${mailboxId} and name = 'inbox')`
  return {
    messages: await all(
      sql`select uid, modseq, seen, flagged, keywords from mail_messages where folder_id = ${inbox} order by uid`,
    ),
    keywords: await all(
      sql`select keyword, uid, seen from mail_keywords where folder_id = ${inbox} order by keyword, uid`,
    ),
    folder: await all(sql`select name, modseq, total, unread from mail_folders where id = ${inbox}`),
    changes: await all(sql`select kind, messages, state from changes where id = ${changeId}`),
    parts: await all(sql`
      select folder, uids, from_key, from_folder, from_uids, seen, flagged, added, removed, undone
      from change_parts where change_id = ${changeId} and mailbox_id = ${mailboxId} and folder_key = ${inbox} order by uids`),
    events: await all(sql`
      select type, actor_kind, actor_name, data - 'id' as data from events
      where organization_id = ${organizationId} and type = 'message.changed' order by (data ->> 'uid')::integer`),
  }
}
