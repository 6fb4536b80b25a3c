// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { each } from '#test/world/each.ts'
import { hand, letter } from '#test/world/letters/letter.ts'
import { onceTold, telling } from '#test/world/observe/writes.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { killedAt, leasesEnd, PostOffice } from '../letters/post-office.ts'

/** The undo of a part, which ends with the commit of the change and its record. */
const statements = ['undone_uids = undone_uids ||', 'commit']

for (const when of ['before', 'after'] as const)
  test(`an undo whose process is killed ${when} the commit of a part counts each message once, and changes it once`, async () => {
    await using office = await PostOffice.open()
    const path = `/v1/messages?mailbox=${office.address}`
    const doomed = await office.start(killedAt({ statements, when }))
    for (let number = 0; number < 4; number++) await hand(doomed, 'ann@peer.example', office.address, letter())
    const change = (body: object) => office.request(doomed, 'PATCH', path, body)
    // In three parts: what is made of a message differs by what it was.
    await change({ uids: [1], starred: true })
    await change({ uids: [2], unread: false })
    const { body } = await change({ uids: [1, 2, 3, 4], folder: 'archive', starred: true, unread: false })
    await office.request(doomed, 'POST', `/v1/changes/${body.change_id}/undo`).catch(() => {})
    await doomed.ended
    await office.behindClosedDoors(leasesEnd('changes'))
    const next = await office.start(telling(['changes']))
    let undo: Answer['body']
    await onceTold([next], async () => {
      ;[undo] = (await office.request(next, 'GET', '/v1/changes')).body.data
      return undo.state !== 'running'
    })
    assert.deepEqual([undo.kind, undo.messages, undo.left_alone], ['undo', 4, 0])
    const { data } = (await office.request(next, 'GET', path)).body
    const marks = each(data, 'unread', 'starred').map(String).sort()
    assert.deepEqual(marks, ['false,false', 'true,false', 'true,false', 'true,true'])
  })
