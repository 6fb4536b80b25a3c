// On both databases: processes lease what they deliver from each other.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { LeaseHolder } from '#/db/lease-holder.ts'
import { databaseNow } from '#/db/leases.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { copy } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { enqueue } from './enqueue.ts'
import { claim, defer, spoolLeases } from './queries.ts'

const log = pino({ level: 'silent' })

const database = await databaseOfFile()
let ada: MailboxRef
beforeEach(async () => {
  const { db } = database
  const onServer = { open: async () => {} } as unknown as Parameters<typeof newMailbox>[1]
  ada = await newMailbox(db, onServer, await newDomain(db), 'ada')
  await db.transaction().execute((tx) => enqueue(tx, [copy(ada), copy(ada)], 2 ** 20))
})

/** As if so many milliseconds had passed for what is claimed. */
async function pass(milliseconds: number): Promise<void> {
  await sql`update mail_spool set leased_until = leased_until - make_interval(secs => ${milliseconds / 1_000})
    where mailbox_id = ${ada.mailboxId}`.execute(database.db)
}

/** What one process has claimed; `longAgo` by its own clock, so that it has to ask whether that still holds. */
async function claimed({ longAgo = false } = {}) {
  const messages = await claim(database.db, ada)
  assert.equal(messages.length, 2)
  const since = longAgo ? performance.now() - spoolLeases.forMs : performance.now()
  const now = () => databaseNow
  return { messages, holder: new LeaseHolder(database.db, spoolLeases, messages, { since, now, log }) }
}

test('what a process has claimed nobody else has for 20 seconds, then another', async () => {
  using _holder = (await claimed()).holder
  await pass(19_000)
  assert.deepEqual(await claim(database.db, ada), [])
  await pass(1_000)
  const again = await claim(database.db, ada)
  assert.deepEqual(
    again.map(({ attempts }) => attempts),
    [2, 2],
  )
})

test('a process that looks whether what it has claimed is still its own holds it for 20 seconds more', async () => {
  const { messages, holder } = await claimed({ longAgo: true })
  using _holder = holder
  await pass(30_000)
  assert.deepEqual(await holder.stillHeld(messages), messages)
  await pass(19_000)
  assert.deepEqual(await claim(database.db, ada), [])
})

test('a process that was stopped past its lease finds that another has what it had claimed, and leaves it alone', async () => {
  const { messages, holder } = await claimed({ longAgo: true })
  using _holder = holder
  await pass(20_000)
  using _other = (await claimed()).holder
  assert.deepEqual(await holder.stillHeld(messages), [])
  await defer(database.db, messages, { as: 'unavailable', reason: 'It is away' })
  await pass(19_000)
  assert.deepEqual(await claim(database.db, ada), [])
})
