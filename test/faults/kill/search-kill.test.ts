// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { each } from '#test/world/each.ts'
import { hand, letter } from '#test/world/letters/letter.ts'
import { onceTold, telling } from '#test/world/observe/writes.ts'
import { ofFile } from '#test/world/of-file.ts'
import { killedAt, leasesEnd, PostOffice } from '../letters/post-office.ts'

const office = ofFile(await PostOffice.open())

for (const [where, statement, when] of [
  ['once it has claimed a message', 'with place as materialized', 'before'],
  ['before it writes to the index', 'insert into mail_search (', 'before'],
  ['once it has written to the index', 'insert into mail_search (', 'after'],
] as const)
  test(`a message is indexed once although the indexing process is killed ${where}`, async (t) => {
    const word = `w${statement.length}${when}`
    const doomed = await office.start(killedAt({ statements: [statement], when }))
    // It may be gone before its reply.
    await hand(doomed, 'ann@peer.example', office.address, letter({ Subject: word })).catch(() => {})
    await doomed.ended
    await office.behindClosedDoors(leasesEnd('mail_search_queue'))
    const next = await office.start(telling(['mail_search_queue']))
    // Beside the next test it would index what the process is to die with.
    t.after(() => next.process.kill('SIGKILL'))
    const search = () => office.request(next, 'GET', `/v1/search?q=subject:${word}`)
    await onceTold([next], async () => !(await search()).body.indexing)
    let answer = await search()
    // A busy machine may end a search before it has found anything.
    while (answer.body.partial) answer = await search()
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(each(answer.body.data, 'subject'), [word])
    await next.end('SIGTERM')
    const { rows } = await office.behindClosedDoors((db) =>
      sql<{ copies: number }>`
        select count(*)::integer as copies from mail_search
        where search_vector(words) @@ ${`'${word.toLowerCase()}'`}::tsquery`.execute(db),
    )
    assert.deepEqual(rows, [{ copies: 1 }])
  })
