import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { pino } from 'pino'
import { claimScheduled } from '#/out/queue/claims.ts'
import { enqueueScheduled } from '#/out/queue/enqueue.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { mailKey } from '#test/world/installation.ts'
import { newDomain, newMailbox } from '#test/world/mail/mailboxes.ts'
import { departAll } from './depart.ts'

test('recipients of a message that has departed before, as after a commit without a reply, count for the day once', async () => {
  await using database = await testDatabase()
  const { db } = database
  const now = new Date('2026-11-21T08:00:00Z')
  const own = await newDomain(db)
  const { organizationId, mailboxId } = await newMailbox(db, 'ada', own)
  const address = `ada@${own.domain}`
  for (const recipients of [['a@x', 'b@x'], ['c@x']]) {
    const id = randomUUID()
    const date = 'Date: Sat, 21 Nov 2026 08:00:00 +0000'
    const raw = Buffer.from(`Message-ID: <${id}@here.example>\r\n${date}\r\n\r\nHello\r\n`)
    const listed = { to: recipients, cc: [], bcc: [], subject: '' }
    const schedule = { sendAt: now, listed, attachmentCount: 0, by: 'api_key', byId: id, answerMarks: null } as const
    const message = { id, organizationId, mailboxId, sender: address, raw, recipients }
    await db.transaction().execute((tx) => enqueueScheduled(tx, mailKey, message, schedule, now))
  }
  const { claims } = await claimScheduled(db, mailKey, now)
  const [first, second] = claims.map(({ message, batch: { recipients } }) => ({ message, recipients }))
  assert.ok(first && second)
  const deps = {
    ...{ db, mailKey, log: pino({ level: 'silent' }), time: async () => now, signingKeys: async () => [] },
    relay: { routeOf: () => 'there' },
  }
  for (const some of [[first], [first, second], [first, second]]) {
    const departed = await departAll(deps, some)
    const ids = departed.map((one) => ('message' in one ? one.message.id : one.failure))
    assert.deepEqual(ids, each(each(some, 'message'), 'id'))
  }
  const days = await db.selectFrom('sends').select('recipients').execute()
  assert.deepEqual(days, [{ recipients: 3 }])
})
