import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/audit/actor.ts'
import { beginChange, stepOf, stepWithin } from '#/changes/record.ts'
import type { Database } from '#/db/open.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import type { Change, MailHost } from '#/ports/mail-host.ts'
import type { Recording } from '#/ports/recording.ts'
import { copy } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { sqlMailHost } from './sql-mail-host.ts'

let database: Database
let host: MailHost
before(async () => {
  database = await testDatabase()
  host = sqlMailHost(database.db, idHashKey('a secret'))
})
after(() => database[Symbol.asyncDispose]())

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
  const { db } = database
  const mailbox = await newMailbox(db, host, await newDomain(db), 'ada')
  await db.transaction().execute((tx) => host.append(tx, [copy(mailbox)]))
  const before = await host.folderStates(mailbox)
  const refusing: Recording = {
    ...stepOf(randomUUID()),
    within: {
      ctes: () => sql`recorded as (select null as record)`,
      recorded: () => {
        throw new Error('No')
      },
    },
  }
  await assert.rejects(host.update(mailbox, 'inbox', [1], { flagged: true }, byOperator, refusing), /^Error: No$/)
  assert.deepEqual(await host.folderStates(mailbox), before)
  assert.equal((await host.summaries(mailbox, 'inbox', [1]))[0]?.flagged, false)
})

/** All that a change leaves behind in a new mailbox with a message in each state. */
async function changed(change: Change, recordingOf: (changeId: string) => Recording) {
  const { db } = database
  const mailbox = await newMailbox(db, host, await newDomain(db), 'ada')
  await db.transaction().execute((tx) =>
    host.append(
      tx,
      states.map((marks) => copy(mailbox, marks)),
    ),
  )
  const { organizationId, mailboxId } = mailbox
  const record = { organizationId, mailboxes: [mailboxId], kind: 'filters', by: byOperator } as const
  const changeId = await beginChange(db, record)
  // One that is not there too.
  await host.update(mailbox, 'inbox', [...uids, 99], change, byOperator, recordingOf(changeId))
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
