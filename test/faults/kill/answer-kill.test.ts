// On both databases: a process is killed in a transaction.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { hand, letter } from '#test/mail/letter.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { killedAt, PostOffice } from '../letters/post-office.ts'

for (const [when, statements] of [
  ['once it has claimed the key', ['insert into idempotency_keys']],
  ['once the change is committed', ['insert into changes', 'commit']],
] as const)
  test(`row 40: a move of many messages whose process is killed ${when} is done once, and its repetition names the change`, async () => {
    await using office = await PostOffice.open()
    const { address, organization } = office
    const { key } = organization
    const doomed = await office.start(killedAt({ statements: [...statements], when: 'after' }))
    for (let number = 0; number < 2; number++) await hand(doomed, 'ann@peer.example', address, letter())
    const body = { uids: [1, 2, 9], folder: 'archive' }
    const move = (client: HttpClient) =>
      client.request('PATCH', `/v1/messages?mailbox=${address}`, {
        ...{ key, body, headers: { 'idempotency-key': 'move' } },
      })
    await move(new HttpClient(doomed.http)).catch(() => {})
    await doomed.ended
    // The claim of the killed process ends.
    await office.behindClosedDoors((db) =>
      sql`update idempotency_keys set claimed_until = clock_timestamp() where claimed_until is not null`.execute(db),
    )
    const next = await office.start()
    const client = new HttpClient(next.http)
    const { status, body: answer } = await move(client)
    assert.deepEqual([status, answer.updated, answer.not_found, answer.moved.length], [200, [1, 2], [9], 2])
    const changes = (await client.request('GET', '/v1/changes', { key })).body.data
    assert.deepEqual(
      changes.map((change: { id: string; messages: number }) => [change.id, change.messages]),
      [[answer.change_id, 2]],
    )
    const undone = await client.request('POST', `/v1/changes/${answer.change_id}/undo`, { key })
    assert.deepEqual([undone.status, undone.body.messages, undone.body.left], [201, 2, []])
  })
