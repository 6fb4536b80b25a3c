import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import { FaultProxy } from '#test/faults/network/proxy.ts'
import { hand as handTo, letter, messagesIn, subjectsIn } from '#test/mail/letter.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { limitFor } from '#test/world/limit-for.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

let dovecot: DovecotServer
let way: FaultProxy
let world: World
let organization: TestOrganization
before(async () => {
  dovecot = await DovecotServer.start()
  way = await FaultProxy.start(dovecot.server)
  const url = new URL(dovecot.url)
  url.port = String(way.port)
  world = await World.start({ env: { MAILROOM_IMAP_URL: url.href } })
  organization = await world.organization()
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await way[Symbol.asyncDispose]()
  await dovecot[Symbol.asyncDispose]()
})

/** As if time had passed for what waits. */
async function due(): Promise<void> {
  await sql`update mail_spool set leased_until = null, due_at = clock_timestamp()`.execute(world.db)
}

const hand = (to: string, message?: string) => handTo(world, 'ann@peer.example', to, message)

/** Changes in an inbox by another program. */
async function otherProgram(mailbox: string, ...commands: string[]): Promise<void> {
  const { connection } = await ImapSession.open(dovecot.server, mailbox)
  for (const command of ['SELECT INBOX', ...commands]) await connection.run([command])
  connection.close()
}

test('what another program does to a mailbox the API shows at once, and the reverse', async () => {
  const { id, address } = await organization.mailbox('ada')
  await organization.request('POST', '/v1/labels', { name: 'Work' })
  for (const Subject of ['One', 'Two', 'Three']) assert.equal(await hand(address, letter({ Subject })), '250 2.6.0')
  assert.deepEqual(await subjectsIn(organization, address), ['Three', 'Two', 'One'])
  const threads = () => organization.request('GET', `/v1/threads?mailbox=${address}`)
  assert.equal((await threads()).body.total, 3)

  await otherProgram(id, 'UID STORE 1 +FLAGS (\\Seen \\Flagged Work)', 'UID MOVE 2 Archive')
  const [three, one] = await messagesIn(organization, address)
  assert.equal(three?.subject, 'Three')
  assert.deepEqual([one?.uid, one?.unread, one?.starred, one?.labels], [1, false, true, ['work']])
  assert.deepEqual(await subjectsIn(organization, address, 'archive'), ['Two'])
  const { body } = await threads()
  assert.deepEqual([body.total, body.data.map(({ unread }: { unread: boolean }) => unread)], [2, [true, false]])

  const change = { unread: false, add_labels: ['work'], folder: 'Projects/Apollo' }
  assert.equal((await organization.request('PATCH', `/v1/messages/3?mailbox=${address}`, change)).status, 200)
  const found: string[] = []
  const { connection } = await ImapSession.open(dovecot.server, id)
  await connection.run(['SELECT Projects/Apollo'])
  await connection.run(['UID SEARCH SEEN KEYWORD work'], {
    onData: ({ values }) => found.push(String(values)) > 0,
  })
  connection.close()
  assert.deepEqual(found, ['1'])
})

test('row 33: a server that does not answer is 502 within 10 seconds, while mail is accepted; once it is back all is there', async () => {
  const { address } = await organization.mailbox('bob')
  await hand(address, letter({ Subject: 'Before' }))
  assert.deepEqual(await subjectsIn(organization, address), ['Before'])
  way.silence()
  const asked = performance.now()
  const answers = await Promise.all(
    ['messages', 'threads', 'folders'].map((what) => organization.request('GET', `/v1/${what}?mailbox=${address}`)),
  )
  for (const { status, body } of answers) assert.deepEqual([status, body.error.code], [502, 'mail_unavailable'])
  assert.ok(performance.now() - asked < limitFor(10_000))
  assert.equal(await hand(address, letter({ Subject: 'Meanwhile' })), '250 2.6.0')
  way.heal()
  await due()
  assert.deepEqual(await subjectsIn(organization, address), ['Meanwhile', 'Before'])
})

test('row 33: a folder name that holds a command is 400, and no command', async () => {
  const { address } = await organization.mailbox('cho')
  await hand(address)
  const folder = encodeURIComponent('INBOX"\r\nA1 DELETE x')
  for (const path of ['messages', 'threads']) {
    assert.equal((await organization.request('GET', `/v1/${path}?mailbox=${address}&folder=${folder}`)).status, 400)
  }
  assert.equal((await subjectsIn(organization, address)).length, 1)
})

test('when the server comes back nobody has to ask: what waits is delivered', async () => {
  const { address } = await organization.mailbox('dee')
  way.drop()
  assert.equal(await hand(address, letter({ Subject: 'One' })), '250 2.6.0')
  const delivered = way.cut('server', '[APPENDUID', { through: 0 })
  way.heal()
  await due()
  await delivered
  await due()
  assert.deepEqual(await subjectsIn(organization, address), ['One'])
})

test('an organization whose storage is full gets no more mail until there is room, also by another program', async () => {
  const plan = { name: 'tiny', domains: 1, mailboxes: 1, storage_bytes: 20_000, sends_per_day: 0 }
  await world.db.insertInto('plans').values(plan).execute()
  const other = await world.organization({ plan: 'tiny' })
  const { id, address } = await other.mailbox('ada')
  for (let turn = 0; turn < 2; turn++) assert.equal(await hand(address, letter({}, 'x'.repeat(15_000))), '250 2.6.0')
  assert.equal(await hand(address), '452 4.2.2')
  assert.equal((await subjectsIn(other, address)).length, 2)
  await otherProgram(id, 'UID STORE 1:2 +FLAGS (\\Deleted)', 'EXPUNGE')
  assert.equal((await other.request('GET', '/v1/usage')).body.storage.used_bytes, 0)
  assert.equal(await hand(address), '250 2.6.0')
})

test('the storage of an organization is that of its mailboxes on the server', async () => {
  const other = await world.organization()
  const { address } = await other.mailbox('ada')
  assert.equal((await other.request('GET', '/v1/usage')).body.storage.used_bytes, 0)
  await hand(address, letter({}, 'x'.repeat(10_000)))
  const [message] = await messagesIn(other, address)
  const { body } = await other.request('GET', '/v1/usage')
  assert.ok(message && body.storage.used_bytes > 10_000)
})
