import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { FaultProxy } from '#test/faults/network/proxy.ts'
import { hand as handTo, letter, subjectsIn } from '#test/mail/letter.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { SmtpClient } from '#test/sockets/smtp-client.ts'
import { delivered } from '#test/world/mail/delivered.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { World } from '#test/world/world.ts'

let dovecot: DovecotServer
let way: FaultProxy
let world: World
before(async () => {
  dovecot = await DovecotServer.start()
  way = await FaultProxy.start(dovecot.server)
  const url = new URL(dovecot.url)
  url.port = String(way.port)
  const env = { MAILROOM_IMAP_URL: url.href, MAILROOM_SPOOL_MB: '1', MAILROOM_METRICS_PORT: '0' }
  world = await World.start({ env })
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await way[Symbol.asyncDispose]()
  await dovecot[Symbol.asyncDispose]()
})

const hand = (to: string | readonly string[], message?: string) => handTo(world, 'ann@peer.example', to, message)

/** A metric, by its labels. */
async function counted(name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${world.metrics?.port}/metrics`)).text()
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))
  return Object.fromEntries(Array.from(lines, ([, labels = '', value]) => [labels, Number(value)]))
}

test('an organization with all that may wait of its mail stops nobody else’s; what waits is shown with the reason', async () => {
  const [greedy, modest] = [await world.organization(), await world.organization()]
  const [ada, bob] = [await greedy.mailbox('ada'), await modest.mailbox('bob')]
  way.drop()
  const large = () => letter({}, 'x'.repeat(200_000))
  for (let count = 0; count < 3; count++) assert.equal(await hand(ada.address, large()), '250 2.6.0')
  assert.equal(await hand(ada.address, large()), '452 4.3.1')
  for (let count = 0; count < 5; count++) assert.equal(await hand(bob.address), '250 2.6.0')

  // Both arrive at once, and would share a transaction.
  const together = Array.from({ length: 20 }, (_, n) => hand(n % 2 ? ada.address : bob.address))
  const answers = await Promise.all(together)
  assert.deepEqual(
    answers,
    answers.map((_, n) => (n % 2 ? '452 4.3.1' : '250 2.6.0')),
  )
  // Refused at RCPT, a message for both goes on to the other.
  await using client = await SmtpClient.greeted(world.smtp.port)
  await client.say('MAIL FROM:<ann@peer.example>')
  assert.equal((await client.say(`RCPT TO:<${ada.address}>`)).code, 452)
  assert.equal((await client.say(`RCPT TO:<${bob.address}>`)).code, 250)
  assert.equal((await client.say('DATA')).code, 354)
  client.write(`${letter({ Subject: 'Both' })}\r\n.\r\n`)
  assert.equal((await client.reply()).code, 250)

  await sql`update mail_spool set due_at = clock_timestamp() where leased_until is null`.execute(world.db)
  await modest.request('GET', `/v1/messages?mailbox=${bob.address}`)
  const { spool } = await printed(operatorOn(world), 'queue')
  assert.equal(spool.total, 3 + 5 + 10 + 1)
  const ofBob = spool.data.find(({ mailbox }: { mailbox: string }) => mailbox === bob.address)
  assert.deepEqual([ofBob.deferral, ofBob.folder, ofBob.organization], ['unavailable', 'inbox', modest.name])
  assert.match(ofBob.reason, /mail server|ECONN|connection/i)
  const messages = await counted('mailroom_spool_messages')
  assert.equal(
    Object.values(messages).reduce((sum, count) => sum + count, 0),
    spool.total,
  )
  assert.ok((messages['reason="unavailable"'] ?? 0) > 0)
  assert.ok(((await counted('mailroom_spool_bytes'))[''] ?? 0) > 600_000)

  way.heal()
  await sql`update mail_spool set due_at = clock_timestamp() where leased_until is null`.execute(world.db)
  await delivered(world.db, { organizationId: greedy.id, mailboxId: ada.id })
  await delivered(world.db, { organizationId: modest.id, mailboxId: bob.id })
  assert.equal((await subjectsIn(greedy, ada.address)).length, 3)
  assert.equal((await subjectsIn(modest, bob.address)).length, 5 + 10 + 1)
  // RCPT caches the size of the spool for a moment.
  while ((await hand(ada.address)) === '452 4.3.1') await wait(20)
  assert.equal(await hand(ada.address), '250 2.6.0')
})
