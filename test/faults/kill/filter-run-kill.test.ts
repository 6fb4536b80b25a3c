// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { hand, letter } from '#test/world/letters/letter.ts'
import { onceTold, telling } from '#test/world/observe/writes.ts'
import { ofFile } from '#test/world/of-file.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { killedAt, leasesEnd, PostOffice } from '../letters/post-office.ts'

const office = ofFile(await PostOffice.open())
const service = await office.start()
for (const Subject of ['Both 1', 'First 2', 'Second 3', 'None 4', 'Both 5'])
  await hand(service, 'ann@peer.example', office.address, letter({ Subject }))
for (const body of [
  { name: 'One', field: 'subject', op: 'contains', value: 'first', action: 'star' },
  { name: 'Two', field: 'subject', op: 'contains', value: 'second', action: 'move', argument: 'Moved' },
  { name: 'Three', field: 'subject', op: 'contains', value: 'both', action: 'read' },
])
  assert.equal((await office.request(service, 'POST', '/v1/filters', body)).status, 201)
await service.end('SIGTERM')

/** All is as it was before any run. */
const asBefore = () =>
  office.behindClosedDoors((db) => sql`delete from events where type = 'message.changed'`.execute(db))

/** The three changes of the step, each in a transaction of its own. */
const settled = 'update filter_run_folders set'
for (const [where, statements, when] of [
  ['once it is claimed', ['update filter_runs'], 'after'],
  ['before its first change is written', [settled, settled], 'before'],
  ['before the commit of its first change', [settled, settled, 'commit'], 'before'],
  ['after the commit of its first change', [settled, settled, 'commit'], 'after'],
  ['before the commit of its second change', [settled, settled, settled, 'commit'], 'before'],
  ['after the commit of its last change', [settled, settled, settled, settled, 'commit'], 'after'],
] as const)
  test(`a run is done and counted once although its process is killed ${where}`, async () => {
    await asBefore()
    const doomed = await office.start(killedAt({ statements, when }))
    await office.request(doomed, 'POST', '/v1/filters/runs', {}).catch(() => {})
    await doomed.ended
    await office.behindClosedDoors(leasesEnd('filter_runs'))
    const next = await office.start(telling(['filter_runs', 'changes', 'mail_messages']))
    let run: Answer['body']
    await onceTold([next], async () => {
      ;[run] = (await office.request(next, 'GET', '/v1/filter-runs')).body.data
      return run.state !== 'running'
    })
    const counts = { total: 5, seen: 5, matched: 4, changed: 4, moved: 1, starred: 1, read: 2 }
    assert.partialDeepStrictEqual(run, { state: 'done', ...counts })
    assert.equal((await office.request(next, 'GET', `/v1/changes/${run.change_id}`)).body.messages, 4)
    assert.equal((await office.request(next, 'POST', `/v1/changes/${run.change_id}/undo`)).status, 201)
    const asTheyWere = ({ unread, starred }: { unread: boolean; starred: boolean }) => unread && !starred
    await onceTold([next], async () => {
      const there = (await office.request(next, 'GET', `/v1/messages?mailbox=${office.address}`)).body.data
      return there.length === 5 && there.every(asTheyWere)
    })
    await next.end('SIGTERM')
    // Four of the run, four of its undo.
    const { rows } = await office.behindClosedDoors((db) =>
      sql<{ count: number }>`select count(*) from events where type = 'message.changed'`.execute(db),
    )
    assert.equal(rows[0]?.count, 8)
  })
