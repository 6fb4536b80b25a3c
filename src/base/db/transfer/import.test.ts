// On both databases: two imports exclude each other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import type { Database } from '#/base/db/open.ts'
import { insertOrganization } from '#/people/organizations/queries.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { allRows } from '#test/world/organization/used-installation.ts'
import { exported } from './export.ts'
import { Lines } from './file.ts'
import { importInto } from './import.ts'

const about = { mailroom: '1.2.3', exportedAt: new Date('2026-11-21T07:44:33Z'), count: () => {} }
const from = await databaseOfFile()
const to = await databaseOfFile()
await createOrganization(from.db, { name: 'Acme', plan: 'free' }, byOperator)
const empty = await allRows(to.db)
const file = await exportOf(from)

async function exportOf({ pool }: Database): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(exported(pool, about)))
}

function importOf(bytes: Buffer, knows = true) {
  const pieces = (async function* () {
    yield bytes
  })()
  return importInto(to, { bytes: pieces, hasSecret: async () => knows, count: () => {} })
}

type Header = Parameters<Lines['header']>[0]

/** A file with another header, or other rows in it. */
function fileOf(change: Partial<Header>, table = 'organizations', rows: readonly string[] = []): Buffer {
  const [first = ''] = file.toString().split('\n')
  const lines = new Lines()
  const top = lines.header({ ...JSON.parse(first.slice(1)), ...change })
  return Buffer.concat([top, lines.mark({ table }), lines.rows(rows), lines.mark({ end: true })])
}

const nobody = '{"organization_id":"00000000-0000-4000-8000-000000000000","day":"2026-11-21","recipients":"1"}'

for (const [what, bytes, complaint] of [
  [
    'a migration that this version does not have',
    () => fileOf({ migrations: [['999-later.sql', 'abc']] }),
    /exported by Mailroom 1\.2\.3 with migration 999-later\.sql.*: import it with that version/,
  ],
  [
    'an older database',
    () => fileOf({ migrations: [] }),
    /exported by Mailroom 1\.2\.3 from an older database.*: export again with this version, or import it with that one/,
  ],
  [
    'a database from before the last version before 0.9.0',
    () => fileOf({ migrations: [['001-organizations.sql', 'abc']] }),
    /exported by Mailroom 1\.2\.3 from an older database.*: export again with the last version before 0\.9\.0/,
  ],
  ['another secret', () => fileOf({ secret_fingerprint: 'ab' }), /another secret.*MAILROOM_SECRET/],
  ['a table that nobody knows', () => fileOf({}, 'diaries'), /a table that Mailroom does not have: diaries/],
  ['a row that does not fit', () => fileOf({}, 'organizations', ['{"id":"1"}']), /invalid input syntax for type uuid/],
  ['a row of nobody', () => fileOf({}, 'sends', [nobody]), /violates foreign key constraint/],
  ['an end that lacks', () => file.subarray(0, -1), /cut short/],
  ['a row that was changed', () => Buffer.from(file.toString().replace('"Acme"', '"Bcme"')), /damaged/],
  ['a row that cannot be read', () => Buffer.from(file.toString().replace('"Acme"', '"Acme')), /damaged/],
] as const)
  test(`nothing is imported of a file with ${what}`, async () => {
    await assert.rejects(importOf(bytes(), false), complaint)
    assert.deepEqual(await allRows(to.db), empty)
  })

if (process.env.TEST_DATABASE_URL !== undefined) {
  test('what is exported is what there was at its beginning, whoever writes meanwhile', async () => {
    const before = await exportOf(from)
    const rows = exported(from.pool, about)
    const first = await rows.next()
    // What sequences give next is read at the end: this takes no number of any.
    await insertOrganization(from.db, { name: 'Meanwhile', plan: 'free' })
    const rest = await Array.fromAsync(rows)
    assert.equal(Buffer.concat([first.value ?? Buffer.alloc(0), ...rest]).toString(), before.toString())
  })
}

test('two imports at once: one is done, the other finds that it was', async () => {
  const outcomes = await Promise.allSettled([importOf(file), importOf(file)])
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
  assert.equal(refused.length, 1)
  const full =
    /The database is not empty: there is something in events, organizations, audit_entries, organization_usage/
  assert.match(refused[0] ?? '', full)
  const { rows } = await to.pool.query('select name from organizations')
  assert.deepEqual(rows, [{ name: 'Acme' }])
  await assert.rejects(createOrganization(to.db, { name: 'acme', plan: 'free' }, byOperator))
  const { id } = await createOrganization(to.db, { name: 'Next', plan: 'free' }, byOperator)
  const used = await to.db.selectFrom('organization_usage').selectAll().where('organization_id', '=', id).execute()
  assert.equal(used.length, 1, 'triggers work again')
})
