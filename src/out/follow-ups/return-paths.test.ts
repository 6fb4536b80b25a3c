import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { newMailbox } from '#test/world/mail/mailboxes.ts'
import { forgetReturnPaths, keepReturnPath } from './return-paths.ts'

const day = 24 * 60 * 60_000
const now = new Date('2026-11-21T08:00:00Z')
const after = (days: number) => new Date(now.getTime() + days * day)

test('whom a sender stands for is kept for 21 days after it was last used', async () => {
  await using database = await testDatabase()
  const { db } = database
  const { mailboxId } = await newMailbox(db, 'ada')
  const keep = (id: string, at: Date) => keepReturnPath(db, { id, address: 'ann@there.example', mailboxId }, at)
  const left = async () => each(await db.selectFrom('return_paths').select('id').orderBy('id').execute(), 'id')
  await keep('once', now)
  await keep('twice', now)
  await keep('twice', after(1))
  await forgetReturnPaths(db, after(21))
  assert.deepEqual(await left(), ['once', 'twice'])
  await forgetReturnPaths(db, after(21.5))
  assert.deepEqual(await left(), ['twice'])
  await forgetReturnPaths(db, after(22.5))
  assert.deepEqual(await left(), [])
})
