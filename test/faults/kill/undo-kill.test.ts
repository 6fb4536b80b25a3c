// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { hand, letter } from '#test/mail/letter.ts'
import { onceTold, telling } from '#test/observe/writes.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { killedAt, PostOffice } from '../letters/post-office.ts'

/** The undo of a part, which ends with the commit of the change and its record. */
const statements = ['undone_uids = undone_uids ||', 'commit']

for (const when of ['before', 'after'] as const)
  test(`an undo whose process is killed ${when} the commit of a part counts each message once, and changes it once`, async () => {
    await using office = await PostOffice.open()
    const { address, organization } = office
    const { key } = organization
    const doomed = await office.start(killedAt({ statements, when }))
    for (let number = 0; number < 4; number++) await hand(doomed, 'ann@peer.example', address, letter())
    const first = new HttpClient(doomed.http)
    const change = (body: object) => first.request('PATCH', `/v1/messages?mailbox=${address}`, { key, body })
    // In three parts: what is made of a message differs by what it was.
    await change({ uids: [1], starred: true })
    await change({ uids: [2], unread: false })
    const { body } = await change({ uids: [1, 2, 3, 4], folder: 'archive', starred: true, unread: false })
    await first.request('POST', `/v1/changes/${body.change_id}/undo`, { key }).catch(() => {})
    await doomed.ended
    // The lease of the killed process ends.
    await office.behindClosedDoors((db) =>
      sql`update changes set leased_until = leased_until - interval '1 hour'`.execute(db),
    )
    const next = await office.start(telling(['changes']))
    const client = new HttpClient(next.http)
    const changes = () => client.request('GET', '/v1/changes', { key })
    let [undo] = (await changes()).body.data
    await onceTold([next], async () => {
      ;[undo] = (await changes()).body.data
      return undo.state !== 'running'
    })
    assert.deepEqual([undo.kind, undo.messages, undo.left_alone], ['undo', 4, 0])
    const { data } = (await client.request('GET', `/v1/messages?mailbox=${address}`, { key })).body
    assert.deepEqual(
      data.map(({ unread, starred }: { unread: boolean; starred: boolean }) => `${unread} ${starred}`).sort(),
      ['false false', 'true false', 'true false', 'true true'],
    )
  })
