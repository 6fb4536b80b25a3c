import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import type { Level } from '#/http/access/caller.ts'
import { giveAccess } from '#/mailboxes/access/access.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const organization = await world.organization()

async function mailbox(): Promise<{ id: string; address: string }> {
  return await organization.mailbox(`box-${randomUUID().slice(0, 8)}`)
}

async function scheduled(from: string): Promise<string> {
  const sendAt = new Date(world.clock.now() + 3_600_000).toISOString()
  const message = { from, to: 'bob@there.example', text: 'Hello', send_at: sendAt }
  const body = await organization.bodyOf(201, 'POST', '/v1/scheduled', message)
  return body.id
}

const failed = (id: string) =>
  world.db
    .updateTable('outbound_messages')
    .set({ state: 'failed', failed_at: new Date(world.clock.now()) })
    .where('id', '=', id)
    .execute()

test('a message that its state keeps from being cancelled or put back says which state', async () => {
  const { address } = await mailbox()
  const id = await scheduled(address)
  const early = await organization.request('POST', `/v1/scheduled/${id}/retry`)
  assert.deepEqual([early.status, early.body.error.code, early.body.error.field], [400, 'invalid_request', 'id'])
  assert.match(early.body.error.message, /is pending/)
  await failed(id)
  const late = await organization.request('DELETE', `/v1/scheduled/${id}`)
  assert.deepEqual([late.status, late.body.error.code, late.body.error.field], [400, 'invalid_request', 'id'])
  assert.match(late.body.error.message, /is failed/)
})

test('a caller who may only read a mailbox neither cancels nor retries its messages, and the error names the mailbox', async () => {
  const member = await organization.member(`${randomUUID()}@people.example`)
  const boxes = await Promise.all((['read', 'change', 'send'] as const satisfies readonly Level[]).map(share))
  const session = await signIn(organization, member.id)
  for (const { address, level, ids } of boxes)
    for (const [method, path] of [
      ['DELETE', `/v1/scheduled/${ids.pending}`],
      ['POST', `/v1/scheduled/${ids.failed}/retry`],
    ] as const) {
      const { status, body } = await session.request(method, path)
      assert.equal(status, level === 'send' ? 200 : 403, path)
      const refusal = `${address} is shared with you at the level ${level}; this needs send`
      if (level !== 'send') assert.equal(body.error.message, refusal)
    }

  async function share(level: Level) {
    const { id: mailboxId, address } = await mailbox()
    const ids = { pending: await scheduled(address), failed: await scheduled(address) }
    await failed(ids.failed)
    const access = {
      mailbox: { organizationId: organization.id, mailboxId },
      memberId: member.id,
      shares: 'all',
    } as const
    await world.db.transaction().execute((tx) => giveAccess(tx, { ...access, by: byOperator }, level))
    return { address, level, ids }
  }
})
