// On both databases: the planner decides how a trail is read.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CompiledQuery, sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { organizationItself } from '#/base/ownership/owner.ts'
import { addLabel, changeLabel, removeLabel } from '#/mail/labels/catalogue.ts'
import type { Label } from '#/mail/labels/label.ts'
import { deleteOrganization } from '#/people/organizations/queries.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { type Actor, byOperator, byService } from './actor.ts'
import { accessEntriesOf, entriesOf, forgetEntries } from './queries.ts'
import { type Change, record } from './record.ts'

const database = await databaseOfFile()

async function newOrganization(): Promise<string> {
  return (await createOrganization(database.db, { name: randomUUID(), plan: 'team' }, byOperator)).id
}

function note(organizationId: string, change: Partial<Change> = {}, by: Actor = byOperator): Promise<void> {
  const one = { organizationId, action: 'label.created', name: 'Work', before: null, after: { name: 'Work' } } as const
  return database.db.transaction().execute((tx) => record(tx, by, { ...one, ...change }))
}

/** An entry of that age in days. */
async function aged(organizationId: string, days: number): Promise<void> {
  await sql`
    insert into audit_entries (organization_id, at, actor_kind, actor_name, action, item_name)
    values (${organizationId}, now() - make_interval(days => ${days}), 'operator', '', 'label.created', '')`.execute(
    database.db,
  )
}

const all = async (organizationId: string, filter = {}) => await entriesOf(database.db, organizationId, filter, 1_000)

for (const [what, statement] of [
  ['changed', "update audit_entries set item_name = 'x'"],
  ['deleted', 'delete from audit_entries'],
  ['deleted by a move elsewhere', 'with gone as (delete from audit_entries returning *) select * from gone'],
  ['truncated', 'truncate audit_entries'],
] as const)
  test(`the database lets no entry be ${what}`, async () => {
    const id = await newOrganization()
    await note(id)
    await assert.rejects(sql.raw(statement).execute(database.db), /audit trail/)
    assert.equal((await all(id)).length, 2)
  })

test('entries older than 400 days are deleted in steps, and no others', async () => {
  const id = await newOrganization()
  for (let number = 0; number < 5; number++) await aged(id, 401)
  await aged(id, 399)
  await sql`select setval(pg_get_serial_sequence('audit_entries', 'id'), 1000000)`.execute(database.db)
  await note(id)
  const before = (await all(id)).length
  await assert.rejects(sql`delete from audit_entries where organization_id = ${id}`.execute(database.db), /400 days/)
  // The oldest by id is the first of any organization in this file: it is young, so this one step looks no further.
  await forgetEntries(database.db, 1)
  assert.equal((await all(id)).length, before)
  await forgetEntries(database.db)
  assert.equal((await all(id)).length, before - 5)
})

test("an organization's entries go with it, and those of others stay", async () => {
  const [gone, other] = [await newOrganization(), await newOrganization()]
  await database.db.transaction().execute((tx) => deleteOrganization(tx, gone))
  assert.deepEqual([await all(gone), (await all(other)).length], [[], 1])
})

test('an entry is rolled back with its transaction', async () => {
  const id = await newOrganization()
  const failing = database.db.transaction().execute(async (tx) => {
    await addLabel(tx, organizationItself(id), { name: 'Work', colour: 'red' }, byOperator)
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  assert.deepEqual(each(await all(id), 'action'), ['organization.created'])
})

test('what stays as it was is no change', async () => {
  const id = await newOrganization()
  const same = () => ({ at: new Date(0), name: 'a' })
  await note(id, { action: 'label.changed', before: same(), after: same() })
  assert.equal((await all(id)).length, 1)
})

test('the list has entries of one organization, newest first, by action, actor and time, page by page', async () => {
  const [id, other] = [await newOrganization(), await newOrganization()]
  const key = { kind: 'key', id: randomUUID(), name: 'mrk_abcd…wxyz Shop', address: '192.0.2.7' } as const
  await aged(id, 2)
  await note(id, { action: 'filter.created', name: 'Orders' }, key)
  await note(id, { action: 'filter.deleted', name: 'Orders' }, byService)
  await note(other)
  const actionsFor = async (filter: object) => (await all(id, filter)).map(({ action }) => action)
  const newest = ['filter.deleted', 'filter.created', 'label.created', 'organization.created']
  assert.deepEqual(await actionsFor({}), newest)
  assert.deepEqual(await actionsFor({ action: 'filter' }), newest.slice(0, 2))
  assert.deepEqual(await actionsFor({ action: 'filter.created' }), ['filter.created'])
  assert.deepEqual(await actionsFor({ action: 'filt' }), [])
  for (const actor of ['key', key.id, 'mrk_abcd'])
    assert.deepEqual(await actionsFor({ actor }), ['filter.created'], actor)
  assert.deepEqual(await actionsFor({ actor: 'service' }), ['filter.deleted'])
  assert.equal((await actionsFor({ since: new Date(Date.now() - 86_400_000) })).includes('label.created'), false)
  const [, second] = await all(id)
  assert.partialDeepStrictEqual(second, { actor: key, item: { id: null, name: 'Orders' }, after: { name: 'Work' } })
  assert.deepEqual(await actionsFor({ before: second?.id }), newest.slice(2))
  assert.equal((await entriesOf(database.db, id, {}, 1)).length, 1)
})

test('of a long trail, changes of access to some mailboxes are read alone', async () => {
  const id = await newOrganization()
  const [mine, other] = [randomUUID(), randomUUID()]
  await sql`
    insert into audit_entries (organization_id, actor_kind, actor_name, action, item_id, item_name, before, after)
    select ${id}, 'operator', '',
      case when one % 1000 < 2 then 'mailbox.access_changed' else 'mailbox.suspended' end,
      case when one % 2 = 0 then ${mine} else ${other} end, '', null, null
    from generate_series(1, 5000) as one`.execute(database.db)
  await sql`analyze audit_entries`.execute(database.db)
  const asked = statementsOf(database.db)
  const read = (mailboxIds: string[], limit: number, before?: number) =>
    accessEntriesOf(asked.db, id, { mailboxIds, before }, limit)
  const both = await read([mine, other], 100)
  assert.deepEqual([both.length, both.map((one) => one.id)], [10, both.map((one) => one.id).toSorted((a, b) => b - a)])
  assert.deepEqual(new Set(both.map(({ item }) => item.id)), new Set([mine, other]))
  assert.deepEqual(await read([mine, other], 3, both[1]?.id), both.slice(2, 5))
  assert.deepEqual(await read([], 3), [])
  assert.equal((await read([mine], 100)).length, 5)
  for (const { sql: text, parameters } of asked.statements) {
    const { rows } = await database.pool.query(`explain (analyze, format json) ${text}`, [...parameters])
    const plan = JSON.stringify(rows[0]['QUERY PLAN'])
    assert.match(plan, /audit_entries_of_access/)
    assert.doesNotMatch(plan, /Rows Removed by Filter":[1-9]/)
  }
})

/** The same database, and the statements that are made through it. */
function statementsOf(db: Db): { db: Db; statements: CompiledQuery[] } {
  const statements: CompiledQuery[] = []
  const watching = db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      statements.push(db.getExecutor().compileQuery(node, queryId))
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { db: watching, statements }
}

test('the settings before an entry are those after the previous one, whatever is changed', async () => {
  const name = fc.constantFrom('Work', 'Home', 'Café', '茶')
  const colour = fc.constantFrom('red', 'blue', '#1e90ff')
  const change = fc.oneof(fc.record({ name }), fc.record({ colour }), fc.record({ name, colour }))
  await fc.assert(
    fc.asyncProperty(name, fc.array(change, { maxLength: 6 }), async (first, changes) => {
      const id = await newOrganization()
      const owner = organizationItself(id)
      const { db } = database
      const states: Label[] = []
      const made = await db
        .transaction()
        .execute((tx) => addLabel(tx, owner, { name: first, colour: 'slate' }, byOperator))
      states.push(made)
      for (const each of changes) {
        const label = await db.transaction().execute((tx) => changeLabel(tx, owner, made.id, each, byOperator))
        const last = states.at(-1)
        if (label.name !== last?.name || label.colour !== last.colour) states.push(label)
      }
      await db.transaction().execute((tx) => removeLabel(tx, owner, made.id, byOperator))
      const settings = states.map(({ name, keyword, colour }) => ({ name, keyword, colour }))
      const entries = (await all(id, { action: 'label' })).reverse()
      assert.deepEqual(each(entries, 'before'), [null, ...settings])
      assert.deepEqual(each(entries, 'after'), [...settings, null])
    }),
    { numRuns: 15 },
  )
})
