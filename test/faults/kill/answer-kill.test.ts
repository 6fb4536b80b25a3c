// On both databases: a process is killed in a transaction.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startDnsServer } from '#test/dns/dns-server.ts'
import { hand, letter } from '#test/mail/letter.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { killedAt } from '../letters/post-office.ts'

for (const [when, statements] of [
  ['once it has claimed the key', ['insert into idempotency_keys']],
  ['once the change is committed', ['insert into changes', 'commit']],
] as const)
  test(`row 40: a move of many messages whose process is killed ${when} is done once, and its repetition names the change`, async () => {
    await using resources = new AsyncDisposableStack()
    const home = resources.use(await databaseHome())
    const dns = resources.use(await startDnsServer({ 'peer.example': { txt: ['v=spf1 ip4:127.0.0.1 -all'] } }))
    const env = { ...home.env, MAILROOM_DNS_SERVERS: dns.address }
    const { key } = await storeOrganization(home, { domain: 'moved.test', mailboxes: ['ada'] })
    const doomed = await startService({ ...env, ...killedAt({ statements: [...statements], when: 'after' }) })
    resources.defer(() => void doomed.process.kill('SIGKILL'))
    const gone = once(doomed.process, 'exit')
    for (let number = 0; number < 2; number++) await hand(doomed, 'ann@peer.example', 'ada@moved.test', letter())
    const body = { uids: [1, 2, 9], folder: 'archive' }
    const move = (client: HttpClient) =>
      client.request('PATCH', '/v1/messages?mailbox=ada@moved.test', {
        ...{ key, body, headers: { 'idempotency-key': 'move' } },
      })
    await move(new HttpClient(doomed.http)).catch(() => {})
    await gone
    {
      await using database = await home.open()
      // The claim of the killed process ends.
      await sql`
        update idempotency_keys set claimed_until = clock_timestamp() where claimed_until is not null`.execute(
        database.db,
      )
    }
    const next = await startService(env)
    resources.defer(() => void next.process.kill('SIGKILL'))
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
