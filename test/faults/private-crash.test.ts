import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { startDnsServer } from '#test/dns/dns-server.ts'
import { hand } from '#test/mail/letter.ts'
import { openPgpKey } from '#test/mail/openpgp-key.ts'
import { databaseDirectory, foundOnDisk, keepPlain, mark } from '#test/observe/on-disk.ts'
import { marked } from '#test/observe/private-on-disk.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { Sink } from '#test/sockets/sink.ts'
import { databaseHome } from '#test/world/database.ts'
import { type Service, startService } from '#test/world/service.ts'
import { moveIn } from '#test/world/tenant.ts'
import { killedAt } from './post-office.ts'

for (const [where, statements, when] of [
  ['before what came, and its answer, are committed', ['insert into outbound_messages', 'commit'], 'before'],
  ['once they are committed', ['insert into outbound_messages', 'commit'], 'after'],
  ['as its answer is composed', ["set state = 'queued', source = null", 'commit'], 'before'],
  ['as the answer is about to go', ['end_of_data_sent = true'], 'after'],
] as const) {
  test(`of a message to a Private mailbox nothing is on disk where the process is killed ${where}, nor after it`, async () => {
    await using home = await databaseHome()
    await using dns = await startDnsServer({ 'peer.example': { txt: ['v=spf1 ip4:127.0.0.1 -all'] } })
    await using sink = await Sink.start()
    const relay = { MAILROOM_RELAY_URL: `smtp://127.0.0.1:${sink.port}?starttls=never` }
    const env = { ...home.env, ...relay, MAILROOM_DNS_SERVERS: dns.address }
    const tenant = await moveIn(home, { domain: 'killed.test', mailboxes: [] })
    const { publicKey } = await openPgpKey()
    await behindClosedDoors(home, ({ db }) => keepPlain(db))
    const service = await startService(env)
    const address = await answeringMailbox(service, tenant.key, publicKey)
    await service.end('SIGTERM')

    const one = mark()
    const doomed = await startService({ ...env, ...killedAt({ statements, when }) })
    const gone = once(doomed.process, 'exit')
    await hand(doomed, `${one}@peer.example`, address, marked(one, address)).catch(() => {})
    await gone
    const directory = home.env.MAILROOM_DATA_DIR ?? ''
    const found = async () => {
      const written = await behindClosedDoors(home, ({ db }) => databaseDirectory(db))
      const server = process.env.TEST_DATABASE_URL === undefined ? [] : [written]
      return (await foundOnDisk([directory, ...server], one)).map(({ file, form }) => [file, form])
    }
    assert.deepEqual([await found(), doomed.written().includes(one)], [[], false])
    const next = await startService(env)
    assert.match(await hand(next, `${one}@peer.example`, address, marked(one, address)), /^250/)
    await next.end('SIGTERM')
    assert.deepEqual([await found(), next.written().includes(one)], [[], false])
  })
}

async function answeringMailbox({ http }: Service, key: string, public_key: string): Promise<string> {
  const client = new HttpClient(http)
  const body = { domain: 'killed.test', local_part: 'secret', kind: 'private', public_key }
  const made = await client.request('POST', '/v1/mailboxes', { key, body })
  assert.equal(made.status, 201)
  const { address: mailbox } = made.body
  const settings = { mailbox, reply_body: 'I am away.', reply_enabled: true }
  assert.equal((await client.request('PATCH', '/v1/forwarding', { key, body: settings })).status, 200)
  return mailbox
}

async function behindClosedDoors<T>(
  home: Awaited<ReturnType<typeof databaseHome>>,
  work: (database: Awaited<ReturnType<typeof home.open>>) => Promise<T>,
): Promise<T> {
  await using database = await home.open()
  return await work(database)
}
