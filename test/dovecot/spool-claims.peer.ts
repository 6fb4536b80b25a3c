import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type DatabaseHome, databaseHome, homeAt } from '../database.ts'
import { FaultProxy } from '../faults/proxy.ts'
import { HttpClient } from '../http-client.ts'
import { hand, letter } from '../peer.ts'
import { startPostgres } from '../postgres.ts'
import { soon } from '../processes/fleet.ts'
import { type Service, startService } from '../service.ts'
import { moveIn, type Tenant } from '../tenant.ts'
import { DovecotServer } from './imap-server.ts'

/** Within which all works again, without a hand, in milliseconds. */
const recovery = 30_000

let dovecot: DovecotServer
before(async () => {
  dovecot = await DovecotServer.start()
})
after(() => dovecot[Symbol.asyncDispose]())

async function subjectsSeen({ http }: Service, { key, addresses: [mailbox] }: Tenant): Promise<string[]> {
  const { status, body } = await new HttpClient(http).request('GET', `/v1/messages?mailbox=${mailbox}`, { key })
  assert.equal(status, 200)
  return body.data.map(({ subject }: { subject: string }) => subject)
}

/** kill -9 where the server has half of a message; another process is there at once. */
async function killInTheMiddle(home: DatabaseHome): Promise<void> {
  const tenant = await moveIn(home, { domain: 'claims.test', mailboxes: ['ada'] })
  await using way = await FaultProxy.start(dovecot.server)
  const url = new URL(dovecot.url)
  url.port = String(way.port)
  const env = { ...home.env, MAILROOM_IMAP_URL: url.href }
  const first = await startService(env)
  await hand(first, 'ann@peer.example', tenant.addresses, letter({ Subject: 'Before' }))
  assert.deepEqual(await subjectsSeen(first, tenant), ['Before'])
  const cut = way.cut('client', 'Subject: Claimed', { silently: true })
  await hand(first, 'ann@peer.example', tenant.addresses, letter({ Subject: 'Claimed' }))
  await cut
  await first.end('SIGKILL')
  const killed = performance.now()
  const second = await startService(env)
  try {
    await soon(recovery - (performance.now() - killed), 'what it had in hand is there', async () =>
      (await subjectsSeen(second, tenant)).includes('Claimed'),
    )
    assert.deepEqual(await subjectsSeen(second, tenant), ['Claimed', 'Before'])
  } finally {
    await second.end('SIGTERM')
  }
}

describe('mail that a process had in hand when it was killed comes within 30 s, once', { concurrency: true }, () => {
  test('on the embedded database', async () => {
    await using home = await databaseHome({ embedded: true })
    await killInTheMiddle(home)
  })

  test('on a PostgreSQL server', async () => {
    await using postgres = await startPostgres()
    await using home = await homeAt(postgres.url)
    await killInTheMiddle(home)
  })
})
