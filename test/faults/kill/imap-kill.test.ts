// On a server: a killed process leaves its transactions and leases to others there alone.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { makeFolder } from '#/mail/make-folder.ts'
import { setPasswordHash } from '#/mailboxes/operator-queries.ts'
import { hashPassword } from '#/passwords/password.ts'
import { copy } from '#test/mail/letters.ts'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'
import { ImapClient } from '#test/world/imap/client.ts'
import { storeCopies } from '#test/world/mail/mailboxes.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { discrepancies } from '../letters/stored.ts'

const password = 'correct horse battery staple'
const domain = 'killed.test'

/** A command of a mail program in INBOX, which has three messages, the second of them marked as deleted; the statement before whose commit the
 *  process is killed; and the folders after it was killed behind that commit. */
const rows = [
  ['append', 'APPEND INBOX {a: b}', 'insert into mail_contents', 'archive next 1, inbox 1 2 3 4 next 5'],
  ['replace', 'REPLACE 1 INBOX {a: b}', 'insert into mail_contents', 'archive next 1, inbox 2 3 4 next 5'],
  [
    'store',
    'STORE 1:3 +FLAGS (\\Seen)',
    'update mail_messages message set modseq',
    'archive next 1, inbox 1seen 2seen 3seen next 4',
  ],
  ['copy', 'COPY 1:2 Archive', 'update mail_contents shared', 'archive 1 2 next 3, inbox 1 2 3 next 4'],
  ['move', 'MOVE 1:2 Archive', 'saved_at = now()', 'archive 1 2 next 3, inbox 3 next 4'],
  ['expunge', 'EXPUNGE', 'delete from mail_messages message', 'archive next 1, inbox 1 3 next 4'],
  ['rename', 'RENAME Plans Later', 'update mail_folders set name', 'archive next 1, inbox 1 2 3 next 4; Later'],
] as const

let home: DatabaseHome
before(async () => {
  home = await databaseHome()
  await storeOrganization(home, { domain, mailboxes: rows.map(([name]) => name) })
  const hash = await hashPassword(password, { organization: '', key: '' })
  await using database = await home.open()
  const { db } = database
  for (const { mailboxId, organizationId } of await db
    .selectFrom('mailboxes')
    .select(['id as mailboxId', 'organization_id as organizationId'])
    .execute()) {
    const mailbox = { mailboxId, organizationId }
    await setPasswordHash(db, mailbox, hash)
    await makeFolder(db, mailbox, 'Plans')
    const copies = [1, 2, 3].map((uid) => copy(mailbox, { deleted: uid === 2 }))
    await storeCopies(db, copies)
  }
})
after(() => home[Symbol.asyncDispose]())

for (const [name, command, statement, then] of rows)
  test(`killed before the commit, ${name} has not happened, and after it, it has`, async () => {
    const unchanged = 'archive next 1, inbox 1 2 3 next 4'
    await killedAt('before', { name, command, statement })
    assert.equal(await stored(name), `${unchanged}; Plans`)
    await killedAt('after', { name, command, statement })
    assert.equal(await stored(name), then.includes(';') ? then : `${then}; Plans`)
  })

interface Killing {
  readonly name: string
  readonly command: string
  readonly statement: string
}

/** Runs a service that is killed before or after the commit of the command's transaction, and the command. */
async function killedAt(when: 'before' | 'after', { name, command, statement }: Killing): Promise<void> {
  const service = await startService({
    ...home.env,
    NODE_OPTIONS: `--import ${fileURLToPath(new URL('./kill-at-statement.ts', import.meta.url))}`,
    KILL_AT_STATEMENT: JSON.stringify([statement, 'commit']),
    KILL_WHEN: when,
  })
  await using client = await ImapClient.greeted(service.imap.port)
  assert.equal((await client.run(`LOGIN ${name}@${domain} "${password}"`)).status, 'OK')
  assert.equal((await client.run('SELECT INBOX')).status, 'OK')
  const [text = '', literal] = command.split(/[{}]/)
  await assert.rejects(client.run(...(literal === undefined ? [text] : [text, { literal }])), /has ended/)
  assert.equal((await service.ended).signal, 'SIGKILL')
}

/** Checks the tables, and answers the uids and next uids of two folders, and which other folder there is. */
async function stored(name: string): Promise<string> {
  await using database = await home.open()
  // What programs store has not arrived.
  const wrong = (await discrepancies(database.db)).filter((one) => !one.endsWith('arrivals without their message'))
  assert.deepEqual(wrong, [])
  const { rows } = await sql<{ folders: string }>`
    select string_agg(text, ', ' order by text) filter (where name in ('archive', 'inbox')) || '; '
      || min(name) filter (where name in ('Plans', 'Later')) as folders
    from (
      select folder.name, concat_ws(' ', folder.name,
        (select string_agg(uid || case when seen then 'seen' else '' end, ' ' order by uid) from mail_messages where folder_id = folder.id),
        'next', uid_next) as text
      from mail_folders folder join mailboxes on mailboxes.id = folder.mailbox_id
      where mailboxes.address = ${`${name}@${domain}`}
    ) shown`.execute(database.db)
  return rows[0]?.folders ?? ''
}
