// On both databases: what an older version has exported is imported into either.
import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createGunzip } from 'node:zlib'
import { diagnose } from '#/app/cli/doctor/doctor.ts'
import { errorText } from '#/app/cli/error-text.ts'
import { readConfig } from '#/app/config/config.ts'
import { tryRelay } from '#/app/server/open-outside.ts'
import { migrate } from '#/base/db/migrate.ts'
import { importInto } from '#/base/db/transfer/import.ts'
import { scopes } from '#/http/access/scopes.ts'
import { emptyDatabase, testDatabase } from '#test/world/database/database.ts'
import { ofFile } from '#test/world/of-file.ts'
import { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

/** The export of an installation by the last version before 0.9.0: the try-out, with some of everything that could be made on
 *  November 23, 2026. */
const file = join(import.meta.dirname, 'before-0.9.0.export.gz')

const stack = ofFile(new AsyncDisposableStack())
const database = stack.use(await testDatabase())
await importInto(database, {
  ...{ bytes: createReadStream(file).pipe(createGunzip()), hasSecret: async () => true, count: () => {} },
})
const world = stack.use(await World.start({ database, indexing: true }))
const { id, name } = await world.db.selectFrom('organizations').select(['id', 'name']).executeTakeFirstOrThrow()
const organization = new TestOrganization(world, { id, name, domain: 'tryout.test' })
organization.key = await organization.newKey(...scopes)

test('no start on a database of before 0.9.0: it is told how to move, and the database stays as it is', async () => {
  await using old = await emptyDatabase()
  await old.pool.query(`
    create table schema_migrations (name text primary key, checksum text, applied_at timestamptz default now());
    insert into schema_migrations values ('001-organizations.sql', 'a'), ('129-word-parts.sql', 'b')`)
  const refusal = await migrate(old.pool).catch(errorText)
  assert.match(
    refusal ?? '',
    /before 0\.9\.0.*`mailroom export FILE` with .* before 0\.9\.0, then `mailroom import FILE` with/,
  )
  const { rows } = await old.pool.query(
    `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  assert.deepEqual(rows, [{ relname: 'schema_migrations' }])
})

test('the doctor finds nothing wrong with it', async () => {
  const { database } = world
  const config = readConfig({ PORT: '0', MAILROOM_SMTP_PORT: '0', MAILROOM_IMAP_PORT: '0' })
  const { value } = await diagnose(config, { database }, tryRelay)
  const { findings } = value as { findings: { check: string; state: string }[] }
  for (const check of ['database', 'migrations']) assert.equal(findings.find((one) => one.check === check)?.state, 'ok')
})

for (const [what, path, shown] of [
  ['messages of a folder', '/v1/messages?mailbox=support@tryout.test&folder=inbox&limit=50', 'An invoice of November'],
  ['conversations', '/v1/conversations?mailbox=support@tryout.test', 'An invoice of November'],
  ['sent messages', '/v1/sent', 'far@away.example'],
  ['scheduled messages', '/v1/scheduled', 'Much later'],
  ['drafts', '/v1/drafts?mailbox=ada@tryout.test', 'A draft'],
  ['labels', '/v1/labels', 'Rechnungen'],
  ['filters', '/v1/filters', 'Bills'],
  ['blocked senders', '/v1/blocked-senders', '@spam.example'],
  ['forwarding', '/v1/forwarding?mailbox=ada@tryout.test', 'ada@elsewhere.example'],
  ['auto-replies', '/v1/forwarding?mailbox=support@tryout.test', 'Back on Monday.'],
] as const)
  test(`a moved installation still has its ${what}`, async () => {
    const { status, bytes } = await organization.request('GET', path)
    assert.equal(status, 200)
    assert.ok(bytes.toString().includes(shown), bytes.toString())
  })

test('mail from before the move is found by its words, and has its text', async () => {
  await world.searchIndexer?.processAll()
  const found = await organization.request('GET', '/v1/search?mailbox=support@tryout.test&q=attached+subject:invoice')
  assert.equal(found.body.data.length, 1)
  const { uid, folder } = found.body.data[0]
  const { body } = await organization.request('GET', `/v1/messages/${uid}?mailbox=support@tryout.test&folder=${folder}`)
  assert.equal(body.text.trim(), 'It is attached.')
})

test('mail arrives at a moved installation, and its filters act', async () => {
  await world.send({
    ...{ from: 'eve@far.example', to: 'support@tryout.test', subject: 'Your invoice 17', text: 'Due in a week.' },
  })
  const { body } = await organization.request('GET', '/v1/messages?mailbox=support@tryout.test&limit=1')
  assert.deepEqual(
    [body.data[0].subject, body.data[0].labels],
    ['Your invoice 17', ['customers', 'invoices', 'rechnungen']],
  )
})

test('a draft from before the move is sent', async () => {
  const { body } = await organization.request('GET', '/v1/drafts?mailbox=ada@tryout.test')
  const { status } = await organization.request('POST', `/v1/drafts/${body.data[0].id}/send`, {})
  assert.equal(status, 202)
})
