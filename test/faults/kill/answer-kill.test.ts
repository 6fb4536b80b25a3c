// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { each } from '#test/world/each.ts'
import { hand, letter } from '#test/world/letters/letter.ts'
import type { Service } from '#test/world/service.ts'
import { killedAt, PostOffice } from '../letters/post-office.ts'

for (const [when, statements] of [
  ['once it has claimed the key', ['insert into idempotency_keys']],
  ['once the change is committed', ['insert into changes', 'commit']],
] as const)
  test(`a move of many messages whose process is killed ${when} is done once, and its repetition names the change`, async () => {
    await using office = await PostOffice.open()
    const doomed = await office.start(killedAt({ statements: [...statements], when: 'after' }))
    for (let number = 0; number < 2; number++) await hand(doomed, 'ann@peer.example', office.address, letter())
    const body = { uids: [1, 2, 9], folder: 'archive' }
    const path = `/v1/messages?mailbox=${office.address}`
    const move = (service: Service) => office.request(service, 'PATCH', path, body, { 'idempotency-key': 'move' })
    await move(doomed).catch(() => {})
    await doomed.ended
    // The claim of the killed process ends.
    const claims = sql`update idempotency_keys set claimed_until = clock_timestamp() where claimed_until is not null`
    await office.behindClosedDoors((db) => claims.execute(db))
    const next = await office.start()
    const { status, body: answer } = await move(next)
    assert.deepEqual([status, answer.updated, answer.not_found, answer.moved.length], [200, [1, 2], [9], 2])
    const changes = (await office.request(next, 'GET', '/v1/changes')).body.data
    assert.deepEqual(each(changes, 'id', 'messages'), [[answer.change_id, 2]])
    const undone = await office.request(next, 'POST', `/v1/changes/${answer.change_id}/undo`)
    assert.deepEqual([undone.status, undone.body.messages, undone.body.left], [201, 2, []])
  })
