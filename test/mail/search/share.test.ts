// On both databases: the planner decides how much a search reads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { readMessage } from '#/formats/mime/read-message.ts'
import { parseQuery } from '#/mail/search/query.ts'
import { searchMail } from '#/mail/search-index/search.ts'
import { World } from '#test/world/world.ts'

/** More than are read before words are looked up. */
const howMany = 400

const world = await World.ofFile()

/** An organization with as many letters, the first of which have the words `rare find`. */
async function withLetters(count: number, rare: number) {
  const { organization, id: mailboxId } = await world.mailbox('ada')
  const mailbox = { organizationId: organization.id, mailboxId }
  const copies = Array.from({ length: count }, (_, at) => {
    const message = readMessage(Buffer.from(`Subject: Letter ${at}\r\n\r\nHello${at < rare ? ' rare find' : ''}`))
    const receivedAt = new Date(Date.UTC(2026, 0, 1) + at * 1_000)
    const marks = { seen: true, flagged: false, keywords: [], filteredBy: [] }
    return { ...{ mailbox, folder: 'inbox', message, receivedAt }, ...marks }
  })
  await world.store(copies)
  await world.searchIndexer?.processAll()
  return async (q: string) => {
    const { found } = await searchMail(world.db, [mailbox], {
      tree: parseQuery(q).tree,
      now: new Date(),
      limit: 25,
      after: undefined,
    })
    assert.ok(found.every((one) => one.mailboxId === mailboxId))
    return found.map(({ summary }) => summary.subject)
  }
}

test('an organization that has nearly all of the index finds its own mail alone, and so does one that has little', async () => {
  const [large, small] = [await withLetters(howMany, 2), await withLetters(3, 3)]
  await sql`analyze mail_search`.execute(world.db)
  const { rows } = await sql<{ indexed: number }>`
    select reltuples as indexed from pg_class where oid = 'mail_search'::regclass`.execute(world.db)
  assert.deepEqual(rows, [{ indexed: howMany + 3 }])
  for (const q of ['rare', 'rare -nowhere', '"rare find"', 'rare subject:letter']) {
    assert.deepEqual(await large(q), ['Letter 1', 'Letter 0'], q)
    assert.deepEqual(await small(q), ['Letter 2', 'Letter 1', 'Letter 0'], q)
  }
  assert.deepEqual(await large('nowhere'), [])
  // As long as nobody has counted.
  await sql`update pg_class set reltuples = -1 where oid = 'mail_search'::regclass`.execute(world.db)
  assert.deepEqual([await large('rare'), await small('find')].flat().length, 5)
})
