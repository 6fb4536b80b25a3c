import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { FaultProxy } from '#test/faults/network/proxy.ts'
import { hand, letter, subjectsAt } from '#test/mail/letter.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { soon } from '#test/processes/fleet.ts'
import { type DatabaseHome, databaseHome, homeAt } from '#test/world/database/database.ts'
import { limitFor } from '#test/world/limit-for.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'

/** The longest recovery, in milliseconds. */
const recovery = limitFor(30_000)

let dovecot: DovecotServer
before(async () => {
  dovecot = await DovecotServer.start()
})
after(() => dovecot[Symbol.asyncDispose]())

/** kill -9 where the server has half of a message; another process is there at once. */
async function killInTheMiddle(home: DatabaseHome): Promise<void> {
  const organization = await storeOrganization(home, { domain: 'claims.test', mailboxes: ['ada'] })
  await using way = await FaultProxy.start(dovecot.server)
  const url = new URL(dovecot.url)
  url.port = String(way.port)
  const env = { ...home.env, MAILROOM_IMAP_URL: url.href }
  const first = await startService(env)
  await hand(first, 'ann@peer.example', organization.addresses, letter({ Subject: 'Before' }))
  assert.deepEqual(await subjectsAt(first, organization), ['Before'])
  const cut = way.cut('client', 'Subject: Claimed', { silently: true })
  await hand(first, 'ann@peer.example', organization.addresses, letter({ Subject: 'Claimed' }))
  await cut
  await first.end('SIGKILL')
  const killed = performance.now()
  const second = await startService(env)
  try {
    await soon(recovery - (performance.now() - killed), 'what it had in hand is there', async () =>
      (await subjectsAt(second, organization)).includes('Claimed'),
    )
    assert.deepEqual(await subjectsAt(second, organization), ['Claimed', 'Before'])
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
