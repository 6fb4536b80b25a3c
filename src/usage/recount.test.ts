import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storageUsed } from '#/mail/storage.ts'
import { hand, letter } from '#test/mail/letter.ts'
import { World } from '#test/world/world.ts'
import { recountStorage } from './recount.ts'

test('a wrong counter of storage is put right once, and no other is touched', async () => {
  await using world = await World.start()
  const [organization, other] = [await world.organization(), await world.organization()]
  for (const one of [organization, other]) {
    const { address } = await one.mailbox('ada')
    assert.equal(await hand(world, 'ann@peer.example', address, letter()), '250 2.6.0')
  }
  const used = async () => (await storageUsed(world.db, organization.id)) ?? 0
  const bytes = await used()
  assert.ok(bytes > 0)
  assert.deepEqual(await recountStorage(world.db), [])
  await world.db
    .updateTable('organization_usage')
    .set({ storage_bytes: bytes + 1_590 })
    .where('organization_id', '=', organization.id)
    .execute()
  assert.deepEqual(await recountStorage(world.db), [{ organizationId: organization.id, before: bytes + 1_590, bytes }])
  assert.deepEqual([await used(), await recountStorage(world.db)], [bytes, []])
})
