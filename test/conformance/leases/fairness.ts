import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import type { Db } from '#/db/schema.ts'
import { createOrganization } from '#/organizations/register.ts'
import type { QueueUnderTest } from './queue-under-test.ts'

/** Tests of a queue that serves organizations in turn. */
export function fairnessConformance(queue: QueueUnderTest, db: () => Db): void {
  const { addFor } = queue
  if (!addFor) return
  test('of two organizations the one that came last is not behind all that the other has', async () => {
    const [many, few] = [await organization(db()), await organization(db())]
    await addFor(db(), many, 200)
    const [id] = await addFor(db(), few, 1)
    const first = await queue.claim(db())
    assert.ok(first.length > 1 && first.length < 200)
    assert.ok(first.some((lease) => lease.id === id))
  })
}

async function organization(db: Db): Promise<string> {
  return (await createOrganization(db, { name: `org-${Math.random()}`, plan: 'business' }, byOperator)).id
}
