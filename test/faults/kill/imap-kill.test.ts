// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { hashPassword } from '#/base/secrets/password.ts'
import { setPasswordHash } from '#/mail/mailboxes/operator-queries.ts'
import { ImapClient } from '#test/world/imap/client.ts'
import { copy } from '#test/world/letters/letters.ts'
import { storeCopies } from '#test/world/mail/mailboxes.ts'
import { killedAt, PostOffice } from '../letters/post-office.ts'
import { discrepanciesOfPrograms } from '../letters/stored.ts'

const password = 'correct horse battery staple'

/** A command of a mail program in INBOX, which has three messages; the statements the last of which commits, where the process is killed; and
 *  the folders after it was killed behind that commit. Every command dies at every statement in test/faults/cut/programs.test.ts. */
for (const [command, statements, then] of [
  ['APPEND INBOX {a: b}', ['insert into mail_contents'], 'inbox 1 2 3 4'],
  ['MOVE 1:2 Archive', ['saved_at = now()', 'commit'], 'archive 1 2, inbox 3'],
] as const)
  test(`killed before the commit, ${command} has not happened, and after it, it has`, async () => {
    await using office = await PostOffice.open()
    const { organizationId } = office.organization
    await office.behindClosedDoors(async (db) => {
      const { id: mailboxId } = await db.selectFrom('mailboxes').select('id').executeTakeFirstOrThrow()
      const mailbox = { organizationId, mailboxId }
      await setPasswordHash(db, mailbox, await hashPassword(password, { organization: '', key: '' }))
      const copies = [1, 2, 3].map(() => copy(mailbox))
      await storeCopies(db, copies)
    })
    for (const [when, expected] of [['before', 'inbox 1 2 3'] as const, ['after', then] as const]) {
      const service = await office.start(killedAt({ statements, when }))
      await using client = await ImapClient.greeted(service.imap.port)
      for (const first of [`LOGIN ${office.address} "${password}"`, 'SELECT INBOX'])
        assert.equal((await client.run(first)).status, 'OK')
      const [text = '', literal] = command.split(/[{}]/)
      await assert.rejects(client.run(...(literal === undefined ? [text] : [text, { literal }])), /has ended/)
      assert.equal((await service.ended).signal, 'SIGKILL')
      assert.equal(await office.behindClosedDoors(stored), expected)
    }
  })

/** Checks the tables, and answers the uids of each folder that has messages. */
async function stored(db: Db): Promise<string | undefined> {
  assert.deepEqual(await discrepanciesOfPrograms(db), [])
  const { rows } = await sql<{ folders: string }>`
    select string_agg(name || uids, ', ' order by name) as folders from (
      select folder.name, string_agg(' ' || uid, '' order by uid) as uids
      from mail_messages message join mail_folders folder on folder.id = message.folder_id group by folder.name) shown`.execute(
    db,
  )
  return rows[0]?.folders
}
