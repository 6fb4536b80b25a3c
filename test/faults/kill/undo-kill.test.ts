// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startDnsServer } from '#test/dns/dns-server.ts'
import { hand, letter } from '#test/mail/letter.ts'
import { onceTold, telling } from '#test/observe/writes.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { killedAt } from '../letters/post-office.ts'

/** The undo of a part, which ends with the commit of the change and its record. */
const statements = ['undone_uids = undone_uids ||', 'commit']

for (const when of ['before', 'after'] as const)
  test(`an undo whose process is killed ${when} the commit of a part counts each message once, and changes it once`, async () => {
    await using resources = new AsyncDisposableStack()
    const home = resources.use(await databaseHome())
    const dns = resources.use(await startDnsServer({ 'peer.example': { txt: ['v=spf1 ip4:127.0.0.1 -all'] } }))
    const env = { ...home.env, MAILROOM_DNS_SERVERS: dns.address }
    const { key } = await storeOrganization(home, { domain: 'undone.test', mailboxes: ['ada'] })
    const doomed = await startService({ ...env, ...killedAt({ statements, when }) })
    resources.defer(() => void doomed.process.kill('SIGKILL'))
    const gone = once(doomed.process, 'exit')
    for (let number = 0; number < 4; number++) await hand(doomed, 'ann@peer.example', 'ada@undone.test', letter())
    const first = new HttpClient(doomed.http)
    const change = (body: object) => first.request('PATCH', '/v1/messages?mailbox=ada@undone.test', { key, body })
    // In three parts: what is made of a message differs by what it was.
    await change({ uids: [1], starred: true })
    await change({ uids: [2], unread: false })
    const { body } = await change({ uids: [1, 2, 3, 4], folder: 'archive', starred: true, unread: false })
    await first.request('POST', `/v1/changes/${body.change_id}/undo`, { key }).catch(() => {})
    await gone
    {
      await using database = await home.open()
      // The lease of the killed process ends.
      await sql`update changes set leased_until = leased_until - interval '1 hour'`.execute(database.db)
    }
    const next = await startService(telling(['changes'], env))
    resources.defer(() => void next.process.kill('SIGKILL'))
    const client = new HttpClient(next.http)
    const changes = () => client.request('GET', '/v1/changes', { key })
    let [undo] = (await changes()).body.data
    await onceTold([next], async () => {
      ;[undo] = (await changes()).body.data
      return undo.state !== 'running'
    })
    assert.deepEqual([undo.kind, undo.messages, undo.left_alone], ['undo', 4, 0])
    const { data } = (await client.request('GET', '/v1/messages?mailbox=ada@undone.test', { key })).body
    assert.deepEqual(
      data.map(({ unread, starred }: { unread: boolean; starred: boolean }) => `${unread} ${starred}`).sort(),
      ['false false', 'true false', 'true false', 'true true'],
    )
  })
