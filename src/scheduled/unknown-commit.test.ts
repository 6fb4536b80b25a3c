import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { testDatabase } from '#test/world/database.ts'
import { removeOnceReachable } from './unknown-commit.ts'

test('an unreachable database is asked about a message until the service closes, and no longer', async () => {
  const { db, ...database } = await testDatabase()
  await database[Symbol.asyncDispose]()
  const closing = new AbortController()
  const removing = removeOnceReachable(db, { organizationId: randomUUID(), id: randomUUID() }, closing.signal)
  closing.abort()
  await assert.rejects(removing, { name: 'AbortError' })
})
