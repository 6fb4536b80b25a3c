// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { startDnsServer } from '#test/dns/dns-server.ts'
import { each } from '#test/each.ts'
import { hand, letter } from '#test/mail/letter.ts'
import { onceTold, telling } from '#test/observe/writes.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { killedAt } from '../letters/post-office.ts'

const resources = new AsyncDisposableStack()
const home = resources.use(await databaseHome())
const dns = resources.use(await startDnsServer({ 'peer.example': { txt: ['v=spf1 ip4:127.0.0.1 -all'] } }))
const env = { ...home.env, MAILROOM_DNS_SERVERS: dns.address }
const organization = await storeOrganization(home, { domain: 'searched.test', mailboxes: ['ada'] })
after(() => resources.disposeAsync())

for (const [where, statement, when] of [
  ['once it has claimed a message', 'with place as materialized', 'before'],
  ['before it writes to the index', 'insert into mail_search (', 'before'],
  ['once it has written to the index', 'insert into mail_search (', 'after'],
] as const)
  test(`a message is indexed once although the indexing process is killed ${where}`, async (t) => {
    const word = `w${statement.length}${when}`
    const doomed = await startService({ ...env, ...killedAt({ statements: [statement], when }) })
    const gone = once(doomed.process, 'exit')
    // It may be gone before its reply.
    await hand(doomed, 'ann@peer.example', 'ada@searched.test', letter({ Subject: word })).catch(() => {})
    await gone
    {
      await using database = await home.open()
      // The lease of the killed process ends.
      await sql`update mail_search_queue set leased_until = leased_until - interval '1 hour'`.execute(database.db)
    }
    const next = await startService(telling(['mail_search_queue'], env))
    // Beside the next test it would index what the process is to die with.
    t.after(() => next.process.kill('SIGKILL'))
    const client = new HttpClient(next.http)
    const search = () => client.request('GET', `/v1/search?q=subject:${word}`, { key: organization.key })
    await onceTold([next], async () => !(await search()).body.indexing)
    let answer = await search()
    // A busy machine may end a search before it has found anything.
    while (answer.body.partial) answer = await search()
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(each(answer.body.data, 'subject'), [word])
    await next.end('SIGTERM')
    await using database = await home.open()
    const { rows } = await sql<{ copies: number }>`
      select count(*)::integer as copies from mail_search where search_vector(words) @@ ${`'${word.toLowerCase()}'`}::tsquery`.execute(
      database.db,
    )
    assert.deepEqual(rows, [{ copies: 1 }])
  })
