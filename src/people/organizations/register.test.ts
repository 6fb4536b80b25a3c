// On both databases: one name is registered many times at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { databaseOfFile, testDatabase } from '#test/world/database/database.ts'
import { allOrganizations, organizationByName } from './queries.ts'
import { changePlan, createOrganization, organizationNamed } from './register.ts'

const database = await databaseOfFile()

test('a name is kept trimmed and in NFC, and found in any case and form', async () => {
  const { id, name, plan } = await createOrganization(database.db, { name: ' Cafe\u0301 Ä ', plan: 'team' }, byOperator)
  assert.deepEqual([name, plan], ['Café Ä', 'team'])
  for (const written of ['café ä', 'CAFÉ Ä', 'Cafe\u0301 Ä', ' Café Ä '])
    assert.equal((await organizationByName(database.db, written))?.id, id)
  assert.equal(await organizationByName(database.db, 'Cafe Ä'), undefined)
})

test('a name that exists in another case is refused', async () => {
  await createOrganization(database.db, { name: 'Taken', plan: 'free' }, byOperator)
  await assert.rejects(createOrganization(database.db, { name: 'TAKEN', plan: 'free' }, byOperator), {
    code: 'invalid_request',
    message: 'There is an organization named "TAKEN" already',
  })
})

test('of twenty made at once under one name, one is', async () => {
  const made = await Promise.allSettled(
    Array.from({ length: 20 }, () => createOrganization(database.db, { name: 'Raced', plan: 'free' }, byOperator)),
  )
  assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1)
})

for (const name of ['', ' ', 'a\nb', 'a\0', '\ud800', '\u202e', '\u200b', 'x'.repeat(65)])
  test(`the name ${JSON.stringify(name.slice(0, 8))} is refused`, () =>
    assert.rejects(createOrganization(database.db, { name, plan: 'free' }, byOperator), { code: 'invalid_request' }))

test('a name may have 64 characters, emoji among them', async () => {
  const name = '😀'.repeat(64)
  assert.equal((await createOrganization(database.db, { name, plan: 'free' }, byOperator)).name, name)
})

test('a plan that does not exist is refused with those that do', async () => {
  const message = 'No plan named "huge"; there are: free, team, business, self_hosted'
  await assert.rejects(createOrganization(database.db, { name: 'Planless', plan: 'huge' }, byOperator), { message })
  assert.equal(await organizationByName(database.db, 'Planless'), undefined)
  await createOrganization(database.db, { name: 'Planned', plan: 'free' }, byOperator)
  await assert.rejects(changePlan(database.db, 'planned', 'huge', byOperator), { message })
})

test('a plan can be changed to a larger and to a smaller one', async () => {
  await createOrganization(database.db, { name: 'Moves', plan: 'team' }, byOperator)
  assert.equal((await changePlan(database.db, 'moves', 'business', byOperator)).plan, 'business')
  assert.equal((await changePlan(database.db, 'MOVES', 'free', byOperator)).plan, 'free')
})

test('where there is no organization of a name, the refusal names those there are, twenty at most', async () => {
  await using empty = await testDatabase()
  await assert.rejects(organizationNamed(empty.db, 'x'), { message: 'No organization named "x"; none yet' })
  for (let count = 1; count <= 22; count++) {
    const name = `Org ${String(count).padStart(2, '0')}`
    await createOrganization(empty.db, { name, plan: 'free' }, byOperator)
  }
  await assert.rejects(organizationNamed(empty.db, 'x'), {
    code: 'not_found',
    message: /^No organization named "x"; there are: Org 01, Org 02, .*, Org 20 and 2 more$/,
  })
  assert.equal((await allOrganizations(empty.db)).length, 22)
})
