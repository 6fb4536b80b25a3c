import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { storageUsed } from '#/mail/store/storage.ts'
import { updateMessages } from '#/mail/store/update.ts'
import { each } from '#test/world/each.ts'
import { hand, letter } from '#test/world/letters/letter.ts'
import { World } from '#test/world/world.ts'
import { recountStorage } from './recount.ts'
import { recountFolders } from './recount-folders.ts'

/** A world with two messages in an inbox, of which one is read and labelled. */
async function worldWithMail() {
  const world = await World.start()
  const { organization, id: mailboxId, address } = await world.mailbox('ada')
  for (const subject of ['One', 'Two'])
    assert.equal(await hand(world, 'ann@peer.example', address, letter({ subject })), '250 2.6.0')
  const mailbox = { organizationId: organization.id, mailboxId }
  await updateMessages(world.db, mailbox, 'inbox', [1], { seen: true, addKeywords: ['urgent'] })
  const { rows } = await sql<{ id: number }>`
    select id from mail_folders where mailbox_id = ${mailboxId} and name = 'inbox'`.execute(world.db)
  return { world, mailbox, folder: rows[0]?.id ?? 0 }
}

const countersOf = async ({ db }: World) => {
  const { rows } = await sql`
    select folder.id, folder.total, folder.unread, folder.size_bytes, (
      select json_agg(held order by keyword) from mail_keyword_totals held where folder_id = folder.id and held.total > 0
    ) as labels, (
      select json_agg(listed order by keyword, uid) from mail_keywords listed where folder_id = folder.id
    ) as listed
    from mail_folders folder order by id`.execute(db)
  return rows
}

test('a folder is put right once, whatever of it was wrong', async () => {
  const { world, mailbox, folder } = await worldWithMail()
  await using _ = world
  const before = await countersOf(world)
  assert.deepEqual((await recountFolders(world.db)).wrong, [])
  const listingOther = sql`
    insert into mail_keywords (folder_id, keyword, received_at, uid, seen)
    select folder_id, 'urgent', received_at, uid, seen from mail_messages where folder_id = ${folder} and uid = 2`
  for (const [damage, labels, listed] of [
    [sql`update mail_folders set total = total + 5 where id = ${folder}`, 0, 0],
    [sql`update mail_folders set unread = 0 where id = ${folder}`, 0, 0],
    [sql`update mail_folders set size_bytes = 7 where id = ${folder}`, 0, 0],
    [sql`update mail_keyword_totals set total = 9, unread = 3 where folder_id = ${folder}`, 1, 0],
    [sql`delete from mail_keyword_totals where folder_id = ${folder}`, 1, 0],
    [sql`insert into mail_keyword_totals values (${folder}, 'stale', 1, 1)`, 1, 0],
    [sql`delete from mail_keywords where folder_id = ${folder}`, 1, 1],
    [listingOther, 1, 1],
    [sql`update mail_keywords set seen = false where folder_id = ${folder}`, 0, 2],
  ] as const) {
    await damage.execute(world.db)
    const { wrong, changing } = await recountFolders(world.db)
    const found = each(wrong, 'organizationId', 'mailboxId', 'folderId', 'labels', 'listed')
    assert.deepEqual(found, [[mailbox.organizationId, mailbox.mailboxId, folder, labels, listed]])
    assert.deepEqual([changing, await countersOf(world)], [0, before])
  }
  assert.deepEqual((await recountFolders(world.db)).wrong, [])
})

test('every folder is in one part, and only a part that is asked for is counted', async () => {
  const { world, folder } = await worldWithMail()
  await using _ = world
  const all = await recountFolders(world.db)
  const parts = [0, 1, 2].map((nth) => ({ nth, of: 3 }))
  let folders = 0
  for (const part of parts) folders += (await recountFolders(world.db, part)).folders
  assert.equal(folders, all.folders)
  await sql`update mail_folders set total = 7 where id = ${folder}`.execute(world.db)
  const mine = folder % 3
  for (const part of parts.toSorted((one) => (one.nth === mine ? 1 : -1)))
    assert.equal((await recountFolders(world.db, part)).wrong.length, part.nth === mine ? 1 : 0)
})

test('messages that are counted in several statements are all counted', async () => {
  const { world, folder } = await worldWithMail()
  await using _ = world
  await sql`
    with more as (
      insert into mail_messages (folder_id, uid, modseq, content_id, received_at, size_bytes, seen, flagged, keywords,
        sender, strong, weak)
      select folder_id, number, modseq, content_id, received_at, 10, true, false, '{}', sender, strong, weak
      from mail_messages, generate_series(3, 10001) as number where folder_id = ${folder} and uid = 1
      returning uid
    )
    update mail_folders set uid_next = 10002 where id = ${folder}`.execute(world.db)
  const { wrong } = await recountFolders(world.db)
  assert.equal(wrong[0]?.now.total, 10_001)
  assert.equal(wrong[0].now.bytes - wrong[0].before.bytes, 99_990)
  assert.deepEqual((await recountFolders(world.db)).wrong, [])
})

/** A database in which something happens before each transaction. */
function disturbed(db: Db, disturb: () => Promise<unknown>): Db {
  const transaction = () => ({
    execute: async (work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) => {
      await disturb()
      return await db.transaction().execute(work)
    },
  })
  return new Proxy(db, {
    get: (_, name) => {
      const own: unknown = name === 'transaction' ? transaction : Reflect.get(db, name)
      return typeof own === 'function' ? own.bind(db) : own
    },
  })
}

for (const [often, changing] of [
  [2, 0],
  [Number.POSITIVE_INFINITY, 1],
] as const)
  test(`a folder that changes ${often} times after it was counted is ${changing ? 'left as it is' : 'counted again'}`, async () => {
    const { world, mailbox, folder } = await worldWithMail()
    await using _ = world
    const { db } = world
    await sql`update mail_folders set total = 40 where id = ${folder}`.execute(db)
    let times = 0
    const change = async () => {
      times += 1
      if (times <= often) await updateMessages(db, mailbox, 'inbox', [2], { flagged: times % 2 === 1 })
    }
    const recount = await recountFolders(disturbed(db, change))
    assert.deepEqual([recount.changing, recount.wrong.length], [changing, 1 - changing])
    const [held] = await db.selectFrom('mail_folders').select('total').where('id', '=', folder).execute()
    assert.equal(held?.total, changing ? 40 : 2)
  })

test('a wrong counter of storage is put right once, and no other is touched', async () => {
  await using world = await World.start()
  const [organization, other] = [await world.organization(), await world.organization()]
  for (const one of [organization, other]) {
    const { address } = await one.mailbox('ada')
    assert.equal(await hand(world, 'ann@peer.example', address, letter()), '250 2.6.0')
  }
  const used = async () => (await storageUsed(world.db, organization.id)) ?? 0
  const bytes = await used()
  assert.ok(bytes > 0)
  assert.deepEqual(await recountStorage(world.db), [])
  await world.db
    .updateTable('organization_usage')
    .set({ storage_bytes: bytes + 1_590 })
    .where('organization_id', '=', organization.id)
    .execute()
  assert.deepEqual(await recountStorage(world.db), [{ organizationId: organization.id, before: bytes + 1_590, bytes }])
  assert.deepEqual([await used(), await recountStorage(world.db)], [bytes, []])
})
