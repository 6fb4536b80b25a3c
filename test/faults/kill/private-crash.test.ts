// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '#/base/db/open.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { hand } from '#test/world/letters/letter.ts'
import { openPgpKey } from '#test/world/letters/openpgp-key.ts'
import { marked } from '#test/world/observe/marked.ts'
import { databaseDirectory, foundOnDisk, keepPlain, mark } from '#test/world/observe/on-disk.ts'
import { ofFile } from '#test/world/of-file.ts'
import { insertOrganization } from '#test/world/organization/stored-organization.ts'
import { type Service, startService } from '#test/world/service.ts'
import { HttpClient } from '#test/world/sockets/http-client.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { killedAt } from '../letters/post-office.ts'

const home = ofFile(await databaseHome())
const dns = ofFile(await startDnsServer({ 'peer.example': { txt: ['v=spf1 ip4:127.0.0.1 -all'] } }))
const sink = ofFile(await Sink.start())
const relay = { MAILROOM_RELAY_URL: `smtp://127.0.0.1:${sink.port}?starttls=never` }
const env = { ...home.env, ...relay, MAILROOM_DNS_SERVERS: dns.address }
const { key } = await behindClosedDoors(async ({ db }) => {
  await keepPlain(db)
  return await insertOrganization(db, { domain: 'killed.test', mailboxes: [] })
})
const { publicKey } = await openPgpKey()
const service = await startService(env)
const address = await answeringMailbox(service, key, publicKey)
await service.end('SIGTERM')

for (const [where, statements, when] of [
  ['before what came, and its answer, are committed', ['insert into outbound_messages', 'commit'], 'before'],
  ['once they are committed', ['insert into outbound_messages', 'commit'], 'after'],
  ['as its answer is composed', ["set state = 'queued', source = null", 'commit'], 'before'],
  ['as the answer is about to go', ['end_of_data_sent = true'], 'after'],
] as const)
  test(`of a message to a Private mailbox nothing is on disk where the process is killed ${where}, nor after it`, async () => {
    const one = mark()
    const doomed = await startService({ ...env, ...killedAt({ statements, when }) })
    await hand(doomed, `${one}@peer.example`, address, marked(one, address)).catch(() => {})
    await doomed.ended
    assert.deepEqual([await found(one), doomed.written().includes(one)], [[], false])
    const next = await startService(env)
    assert.match(await hand(next, `${one}@peer.example`, address, marked(one, address)), /^250/)
    await next.end('SIGTERM')
    assert.deepEqual([await found(one), next.written().includes(one)], [[], false])
    // Its pending work would trigger the kill of the next process.
    await behindClosedDoors(({ db }) => db.deleteFrom('outbound_messages').execute())
  })

async function found(one: string) {
  const written = await behindClosedDoors(({ db }) => databaseDirectory(db))
  const server = process.env.TEST_DATABASE_URL === undefined ? [] : [written]
  const directory = home.env.MAILROOM_DATA_DIR ?? ''
  return (await foundOnDisk([directory, ...server], one)).map(({ file, form }) => [file, form])
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

/** While no service runs. */
async function behindClosedDoors<T>(work: (database: Database) => Promise<T>): Promise<T> {
  await using database = await home.open()
  return await work(database)
}
