import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import { createOrganization } from '#/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { addFilter, checkChangedMove } from './changes.ts'
import type { FilterFields } from './filter.ts'

const database = await databaseOfFile()
const { id } = await createOrganization(database.db, { name: 'Here', plan: 'team' }, byOperator)
const owner = { organizationId: id, memberId: null }

const plain = { name: 'Bills', field: 'subject', op: 'is', value: 'Bill', enabled: true } as const
const [move, star] = [{ action: 'move', argument: 'Bills' } as const, { action: 'star', argument: null } as const]

for (const [what, from, change, expected] of [
  ['that begins to move', star, { action: 'move', argument: 'Paid' }, ['Paid']],
  ['that moves to another folder', move, { argument: 'Paid' }, ['Paid']],
  ['that moves as before', move, { action: 'move', argument: 'Bills' }, []],
  ['whose move is not touched', move, {}, []],
  ['that moves no longer', move, { action: 'star', argument: null }, []],
] as const)
  test(`For a filter ${what} the mail host is asked about ${expected[0] ?? 'nothing'}`, async () => {
    const fields: FilterFields = { ...plain, ...from }
    const { id } = await database.db.transaction().execute((tx) => addFilter(tx, owner, fields, byOperator))
    const asked: string[] = []
    const checkFolder = async (organizationId: string, folder: string) => {
      assert.equal(organizationId, owner.organizationId)
      asked.push(folder)
    }
    await checkChangedMove(database.db, { checkFolder }, owner, { id, change })
    assert.deepEqual(asked, expected)
  })
