import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { Stage } from '#test/world/imap/stage.ts'
import { forgetWords } from './listed-words.ts'

test('the words of deleted messages are listed no longer, once they are looked for', async () => {
  await using stage = await Stage.open()
  const { db } = stage.database
  await (await stage.scene()).store([
    ['Subject: alpha\r\n\r\nbeta\r\n\r\n> gamma\r\n'],
    ['Subject: alpha\r\n\r\ndelta\r\n\r\n> epsilon\r\n'],
    ['Subject: zeta\r\n\r\n> gamma\r\n'],
  ])
  await stage.index()
  const listed = async () => {
    const { rows } = await sql<{ word: string }>`select word from mail_words order by word`.execute(db)
    return rows.map(({ word }) => word).join(' ')
  }
  assert.equal(await listed(), 'alpha beta delta epsilon gamma zeta')
  await sql`delete from mail_messages where uid = 2`.execute(db)
  for (const nth of [0, 1]) await forgetWords(db, { nth, of: 2 })
  assert.equal(await listed(), 'alpha beta gamma zeta')
  await sql`delete from mail_messages`.execute(db)
  for (const nth of [0, 1]) await forgetWords(db, { nth, of: 2 })
  assert.equal(await listed(), '')
})
