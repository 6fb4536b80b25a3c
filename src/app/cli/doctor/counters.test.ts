import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { storageUsed } from '#/mail/store/storage.ts'
import { hand, letter } from '#test/world/letters/letter.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { World } from '#test/world/world.ts'
import { runCommand } from '../run.ts'

test('counters are compared, what was wrong is shown and put right, and then nothing is wrong', async () => {
  await using world = await World.start()
  const { db, database } = world
  const { organization, id: mailboxId, address } = await world.mailbox('ada')
  assert.equal(await hand(world, 'ann@peer.example', address, letter()), '250 2.6.0')
  const operator = operatorOn({ database })
  const sound = await printed(operator, 'doctor', '--counters')
  assert.deepEqual({ ...sound, folders: 0 }, { folders: 0, changing: 0, wrong_folders: [], wrong_storage: [] })
  const run = () => runCommand(['doctor', '--counters'], operator)
  assert.match((await run()).stdout, /^Counted \d+ folders\. Nothing was wrong\.\n$/)

  const used = (await storageUsed(world.db, organization.id)) ?? 0
  const damage = async () => {
    const inbox = sql`mailbox_id = ${mailboxId} and name = 'inbox'`
    await sql`update mail_folders set total = 4, size_bytes = size_bytes + 1000 where ${inbox}`.execute(db)
    await sql`update organization_usage set storage_bytes = 12 where organization_id = ${organization.id}`.execute(db)
  }
  await damage()
  const { wrong_folders: folders, wrong_storage: storage } = await printed(operator, 'doctor', '--counters')
  assert.partialDeepStrictEqual(folders[0], {
    ...{ organization_id: organization.id, mailbox_id: mailboxId, labels: 0, listed: 0 },
    before: { total: 4, unread: 1, bytes: used + 1_000 },
    now: { total: 1, unread: 1, bytes: used },
  })
  assert.deepEqual([folders.length, storage], [1, [{ organization_id: organization.id, before: 12, now: used }]])

  await damage()
  const { stdout, exitCode } = await run()
  assert.match(stdout, /^COUNTER +WAS +IS\nfolder \d+ of mailbox \S+ +4 messages, 1 unread, .* 1 messages, 1 unread/)
  assert.match(stdout, /\nstorage of organization \S+ +12 octets +\d+ octets\n\nCounted .* What was wrong is right now/)
  assert.equal(exitCode, 0)
  assert.equal(await storageUsed(world.db, organization.id), used)
})
