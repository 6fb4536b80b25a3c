// On both databases: requests make one address, and reach a cap, at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { Refusal } from '#/base/errors.ts'
import { Caller } from '#/http/access/caller.ts'
import { folderStatuses } from '#/mail/store/folders.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { newDomain } from '#test/world/mail/mailboxes.ts'
import { createMailbox, type NewMailbox } from './create.ts'
import { mailboxesOf, mailboxNamed } from './queries.ts'

const database = await databaseOfFile()

const wholePage = { limit: 50, offset: 0, after: undefined }

test('the first mailbox of a domain gets postmaster@ and abuse@, the second does not, and each has its folders', async () => {
  const at = await newDomain(database.db)
  const first = await create({ ...at, localPart: 'ada', name: ' Ada ' })
  const second = await create({ ...at, localPart: 'bob' })
  assert.deepEqual(first.aliases, [`abuse@${at.domain}`, `postmaster@${at.domain}`])
  assert.deepEqual(second.aliases, [])
  const { id, address, name, kind, suspended } = first
  assert.deepEqual([address, name, kind, suspended], [`ada@${at.domain}`, 'Ada', 'smart', false])
  const listed = await mailboxesOf(database.db, Caller.unrestricted(at.organizationId), wholePage)
  const mailboxes = listed.map(({ at: _at, ...mailbox }) => mailbox)
  assert.deepEqual(mailboxes, [first, second])
  const named = await mailboxNamed(database.db, Caller.unrestricted(at.organizationId), first.address)
  assert.deepEqual(named, { id, address, kind })
  assert.equal((await folderStatuses(database.db, { organizationId: at.organizationId, mailboxId: id })).length, 6)
})

test('the member whose address it is owns the mailbox', async () => {
  const at = await newDomain(database.db)
  const member = await database.db
    .insertInto('members')
    .values({ organization_id: at.organizationId, email: `Ada@${at.domain}`, role: 'member' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const owners = []
  for (const localPart of ['ada', 'bob']) {
    const { id } = await create({ ...at, localPart })
    const row = await database.db.selectFrom('mailboxes').select('member_id').where('id', '=', id).executeTakeFirst()
    owners.push(row?.member_id)
  }
  assert.deepEqual(owners, [member.id, null])
})

for (const [what, change] of [
  ['not verified', { status: 'pending' }],
  ['lost', { status: 'failed' }],
  ['suspended', { suspended_at: new Date() }],
] as const)
  test(`refused: a domain that is ${what}`, async () => {
    const at = await newDomain(database.db)
    await database.db.updateTable('domains').set(change).where('domain', '=', at.domain).execute()
    await assert.rejects(create({ ...at, localPart: 'ada' }), refused('invalid_request', 'domain'))
  })

test('of 20 concurrent requests for one address, one succeeds', async () => {
  const at = await newDomain(database.db)
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => create({ ...at, localPart: 'ada' })))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const result of results) {
    if (result.status === 'rejected') assert.ok(refused('invalid_request', 'local_part')(result.reason))
  }
})

function create(wanted: NewMailbox) {
  return database.db.transaction().execute((tx) => createMailbox(tx, wanted, byOperator))
}

function refused(code: string, field: string | undefined): (error: unknown) => boolean {
  return (error) => error instanceof Refusal && error.code === code && error.field === field
}
